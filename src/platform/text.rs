//! Foreign text in messages.

/// Returns the first `most` characters of a text, and an ellipsis in place of the rest.
pub(crate) fn shorten(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(shorten("éé", 2), "éé");
        assert_eq!(shorten("ééé", 2), "éé…");
    }
}

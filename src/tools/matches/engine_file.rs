//! Engine files: the program of an engine, its dialect and its options.

use crate::dialect::gbgp::Gbgp;
use crate::dialect::sanmill7::Sanmill7;
use crate::dialect::standard::Standard;
use crate::dialect::tgf::Tgf;
use crate::dialect::ugi::Ugi;
use crate::dialect::writer::Dialect;
use crate::tools::error::ToolError;
use crate::tools::files::read_text;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;

/// The dialect of an engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// The first handshake that gets a reply: `uci`, then `gbgp`, then `ugi`.
    #[default]
    Auto,
    /// UCI with Mill moves.
    Standard,
    /// The dialect of Sanmill 7, without `isready` and `ucinewgame`.
    Sanmill7,
    /// The dialect of the Rust engine of Sanmill.
    Tgf,
    /// Generic Board Game Protocol, with a whole turn in one token.
    Gbgp,
    /// Universal Game Interface.
    Ugi,
}

impl Protocol {
    /// Returns the reader and writer; that of the standard dialect for `Auto`.
    pub(crate) fn dialect(self) -> &'static dyn Dialect {
        match self {
            Self::Auto | Self::Standard => &Standard,
            Self::Sanmill7 => &Sanmill7,
            Self::Tgf => &Tgf,
            Self::Gbgp => &Gbgp,
            Self::Ugi => &Ugi,
        }
    }
}

/// An engine that takes part in a match.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct EngineFile {
    /// The name in results and records.
    pub name: String,
    /// The program and its arguments.
    pub cmd: Vec<String>,
    /// Its dialect.
    #[serde(default)]
    pub protocol: Protocol,
    /// Options to set, in order.
    #[serde(default, deserialize_with = "ordered", serialize_with = "as_pairs")]
    pub options: Vec<(String, String)>,
    /// Lines sent unchanged before the options.
    #[serde(default)]
    pub setup: Vec<String>,
    /// Its own limits; `None` uses those of the match.
    #[serde(default)]
    pub go: Option<String>,
}

impl EngineFile {
    /// Reads an engine file.
    ///
    /// # Errors
    /// If the file cannot be read, is no JSON, lacks `name` or `cmd`, or has an unknown key.
    pub fn read(path: &Path) -> Result<Self, ToolError> {
        let engine: Self = serde_json::from_str(&read_text(path)?).map_err(ToolError::input(path))?;
        if engine.cmd.is_empty() {
            return Err(ToolError::unexpected(path, "an empty 'cmd'", "a program and its arguments"));
        }
        Ok(engine)
    }
}

fn as_pairs<S: serde::Serializer>(options: &[(String, String)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(options.iter().map(|(name, value)| (name, value)))
}

/// Reads an object in the order of the file, because some options depend on those before them.
fn ordered<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<(String, String)>, D::Error> {
    struct Options;

    impl<'de> Visitor<'de> for Options {
        type Value = Vec<(String, String)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object of option names and values")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut options = Vec::new();
            while let Some((name, value)) = map.next_entry::<String, serde_json::Value>()? {
                let text = match value {
                    serde_json::Value::String(text) => text,
                    serde_json::Value::Bool(_) | serde_json::Value::Number(_) => value.to_string(),
                    serde_json::Value::Null => String::new(),
                    other => {
                        let why =
                            format!("option {name}: found {other}, expected a text, number or true/false");
                        return Err(serde::de::Error::custom(why));
                    }
                };
                options.push((name, text));
            }
            Ok(options)
        }
    }

    from.deserialize_map(Options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_keep_their_order_and_scalars_become_text() {
        let text = r#"{"name": "x", "cmd": ["a", "b"], "protocol": "sanmill7",
            "options": {"UCI_Variant": "nine", "MayFly": false, "Hash": 64, "Clear Hash": null}}"#;
        let engine: EngineFile = serde_json::from_str(text).unwrap();
        let names: Vec<_> = engine.options.iter().map(|(n, v)| format!("{n}={v}")).collect();
        assert_eq!(names, ["UCI_Variant=nine", "MayFly=false", "Hash=64", "Clear Hash="]);
        assert_eq!(engine.protocol, Protocol::Sanmill7);
        for bad in [
            r#"{"name": "x"}"#,
            r#"{"name": "x", "cmd": ["a"], "protocl": "ugi"}"#,
            r#"{"name": "x", "cmd": ["a"], "protocol": "chess"}"#,
            r#"{"name": "x", "cmd": ["a"], "options": {"Hash": [1]}}"#,
        ] {
            assert!(serde_json::from_str::<EngineFile>(bad).is_err(), "{bad}");
        }
    }
}

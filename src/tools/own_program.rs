//! This program, as an engine and as the guard of one.

use super::error::{Place, ToolError};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The path of this program when it was first asked for.
static OWN: OnceLock<PathBuf> = OnceLock::new();

/// Returns the path of this program, as people know it. It stays the same for the life of the process.
///
/// # Errors
/// If the system does not say where it is.
pub(crate) fn own_program() -> Result<&'static Path, ToolError> {
    if let Some(path) = OWN.get() {
        return Ok(path);
    }
    let path = std::env::current_exe().map_err(ToolError::io(Place::ThisProgram))?;
    Ok(OWN.get_or_init(|| path))
}

/// Returns the path by which the system starts a program.
///
/// On Linux, that of this program is one that starts it even after a new build has replaced the file.
pub(crate) fn path_to_start(program: &Path) -> &Path {
    let link = Path::new("/proc/self/exe");
    let is_own = OWN.get().is_some_and(|own| own == program);
    if is_own && link.exists() { link } else { program }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_program_starts_even_if_its_file_is_replaced() {
        let own = own_program().expect("a path");
        let is_linked = cfg!(any(target_os = "linux", target_os = "android"));
        assert_eq!(path_to_start(own), if is_linked { Path::new("/proc/self/exe") } else { own });
        assert_eq!(own_program().expect("a path"), own);
        for other in ["other", "/bin/sh", ""].map(Path::new) {
            assert_eq!(path_to_start(other), other);
        }
    }
}

//! Engine files: the program of an engine, its dialect and its options.

use super::limits::GoLimits;
use crate::dialect::gbgp::Gbgp;
use crate::dialect::sanmill7::Sanmill7;
use crate::dialect::standard::Standard;
use crate::dialect::tgf::Tgf;
use crate::dialect::ugi::Ugi;
use crate::dialect::writer::Dialect;
use crate::engine::options::{self, OptionEffect};
use crate::platform::files;
use crate::platform::text::{BYTE_ORDER_MARK, quoted};
use crate::tools::error::{InputFault, Place, ToolError};
use crate::tools::files::read_text;
use crate::tools::own_program::own_program;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The dialect of an engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// The first handshake that gets a reply: `uci`, then `gbgp`, then `ugi`. Later starts keep to it.
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
    /// True if the engine may lack options, refuse values and complain about lines of its setup.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lenient: bool,
}

/// The longest engine file in bytes.
const LONGEST: u64 = 1 << 20;

impl EngineFile {
    /// Reads an engine file, or describes a program that speaks one of the dialects that can be found out.
    ///
    /// A name without a folder may be that of a program in `PATH`.
    ///
    /// # Errors
    /// If the file cannot be read, is neither JSON nor a program, lacks `name` or `cmd`, or has an unknown
    /// key, other limits than `go` has, or a line break in a line of the setup or an option.
    pub fn read(path: &Path) -> Result<Self, ToolError> {
        let mut head = Vec::new();
        let Some(path) = &found(path) else {
            return Err(ToolError::unexpected(path, "no such file", "an engine file in JSON, or a program"));
        };
        // Standard input and pipes can be read only once, and are no programs.
        if path.is_file() {
            let file = files::open_regular(path).map_err(ToolError::io(path))?;
            file.take(HEAD).read_to_end(&mut head).map_err(ToolError::io(path))?;
        }
        let begin = head.strip_prefix(BYTE_ORDER_MARK.as_bytes()).unwrap_or(&head);
        if begin.iter().find(|byte| !byte.is_ascii_whitespace()).is_some_and(|&byte| byte != b'{') {
            if !is_program(path) {
                let expected = "an engine file in JSON, or a program that can be started";
                return Err(ToolError::unexpected(path, "something else", expected));
            }
            // The system would look for a name without a folder elsewhere.
            let program = std::path::absolute(path).map_err(ToolError::io(path))?;
            return Self::of(&program, Protocol::Auto);
        }
        let text = read_text(path, LONGEST)?;
        let engine: Self =
            serde_json::from_str(&text).map_err(InputFault::NoEngineFile).map_err(ToolError::input(path))?;
        if engine.name.trim().is_empty() {
            return Err(ToolError::unexpected(path, "an empty 'name'", "a name for results and records"));
        }
        if engine.cmd.is_empty() {
            return Err(ToolError::unexpected(path, "an empty 'cmd'", "a program and its arguments"));
        }
        engine.check_lines(path)?;
        let go = engine.go.as_deref().map(GoLimits::parse).transpose();
        go.map_err(ToolError::input(Place::Key(path.to_owned(), "go")))?;
        Ok(engine)
    }

    /// Checks that what is sent as one line is one.
    fn check_lines(&self, path: &Path) -> Result<(), ToolError> {
        let setup = self.setup.iter().map(|line| ("setup", line));
        let options = self.options.iter().flat_map(|(name, value)| [("options", name), ("options", value)]);
        match setup.chain(options).find(|(_, text)| text.contains(['\n', '\r'])) {
            Some((key, text)) => {
                let place = Place::Key(path.to_owned(), key);
                Err(ToolError::unexpected(place, quoted(text), "a text without line breaks"))
            }
            None => Ok(()),
        }
    }

    /// Describes this program as an engine.
    ///
    /// # Errors
    /// If the system does not say where it is, or its path is not UTF-8.
    pub fn own() -> Result<Self, ToolError> {
        Ok(Self { name: "millstone".to_owned(), ..Self::of(own_program()?, Protocol::Standard)? })
    }

    /// Describes a program without arguments and options.
    ///
    /// # Errors
    /// If its path is not UTF-8, which no engine file can hold.
    fn of(program: &Path, protocol: Protocol) -> Result<Self, ToolError> {
        let not_utf8 = || ToolError::unexpected(program, "a path that is not UTF-8", "one in UTF-8");
        let stem = program.file_stem().unwrap_or_default();
        Ok(Self {
            name: stem.to_string_lossy().into_owned(),
            cmd: vec![program.to_str().ok_or_else(not_utf8)?.to_owned()],
            protocol,
            options: Vec::new(),
            setup: Vec::new(),
            go: None,
            lenient: false,
        })
    }
}

/// Returns the JSON of an engine file in words, and any other text as it is.
pub(crate) fn describe(json: &str) -> String {
    let Ok(engine) = serde_json::from_str::<EngineFile>(json) else { return json.to_owned() };
    let protocol = format!("{:?}", engine.protocol).to_lowercase();
    let mut parts = vec![format!("{} ({}), protocol {protocol}", engine.name, engine.cmd.join(" "))];
    parts.extend(engine.options.iter().map(|(name, value)| format!("{name}={value}")));
    parts.extend(engine.setup.iter().map(|line| format!("setup '{line}'")));
    parts.extend(engine.go.map(|go| format!("limits {go}")));
    parts.extend(engine.lenient.then(|| "lenient".to_owned()));
    parts.join(", ")
}

/// Returns true if an option of this program changes the rules.
pub(crate) fn is_rule_option(name: &str) -> bool {
    options::find(name).is_some_and(|option| option.effect == OptionEffect::SetRules)
}

/// Returns the file of this name, or the program if it is a name alone that `PATH` knows.
fn found(path: &Path) -> Option<PathBuf> {
    // Any other error than that it is missing names the file as it was given.
    if !matches!(path.try_exists(), Ok(false)) {
        return Some(path.to_owned());
    }
    let is_name = path.parent() == Some(Path::new("")) && path.file_name().is_some();
    let folders = std::env::var_os("PATH").filter(|_| is_name)?;
    let programs = std::env::split_paths(&folders).map(|folder| folder.join(path));
    programs.into_iter().find(|program| program.is_file() && is_program(program))
}

/// Bytes that tell an engine file from a program.
const HEAD: u64 = 4096;

/// Returns true if a file can be started.
fn is_program(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        path.metadata().is_ok_and(|data| data.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    {
        let is_one =
            |end: &std::ffi::OsStr| ["exe", "com", "bat", "cmd"].iter().any(|e| end.eq_ignore_ascii_case(e));
        path.extension().is_some_and(is_one)
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
    fn an_engine_needs_a_name_and_a_program() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("engine.json");
        for (text, expected) in [
            (r#"{"name": " ", "cmd": ["a"]}"#, "an empty 'name', expected a name for results and records"),
            (r#"{"name": "x", "cmd": []}"#, "an empty 'cmd', expected a program and its arguments"),
        ] {
            std::fs::write(&path, text).unwrap();
            let why = EngineFile::read(&path).unwrap_err().to_string();
            assert!(why.ends_with(expected), "{why}");
        }
    }

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

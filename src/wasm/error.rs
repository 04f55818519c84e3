//! Errors as JavaScript gets them: a JSON object with a stable code and a sentence.

use crate::tablebase::TablebaseError;
use serde_json::json;
use std::fmt::Display;
use wasm_bindgen::JsValue;

/// The kinds of errors. `web/engine/index.d.ts` lists their names, with those that JavaScript adds.
#[derive(Clone, Copy)]
pub(super) enum Code {
    Move,
    Position,
    Rules,
    Argument,
    Missing,
    Damaged,
    Unsupported,
    NoValue,
}

impl Code {
    const fn name(self) -> &'static str {
        match self {
            Self::Move => "illegal-move",
            Self::Position => "bad-position",
            Self::Rules => "bad-rules",
            Self::Argument => "bad-argument",
            Self::Missing => "missing",
            Self::Damaged => "damaged",
            Self::Unsupported => "unsupported-rules",
            Self::NoValue => "no-value",
        }
    }
}

/// Returns an error with this message.
pub(super) fn error(code: Code, message: impl Display) -> JsValue {
    JsValue::from_str(&json!({ "code": code.name(), "message": message.to_string() }).to_string())
}

/// Returns an error of the tablebase.
pub(super) fn table_error(cause: &TablebaseError) -> JsValue {
    let code = match cause {
        TablebaseError::Unsupported(_) => Code::Unsupported,
        TablebaseError::Missing(_) | TablebaseError::NoFiles(_) | TablebaseError::NoMalomFolder => {
            Code::Missing
        }
        TablebaseError::NoValue(_) => Code::NoValue,
        _ => Code::Damaged,
    };
    error(code, cause)
}

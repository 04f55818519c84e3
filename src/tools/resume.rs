//! Files from which a long job continues after it was killed: a line that identifies the job, then a line for
//! each finished part.

use super::error::{JobDifference, Place, ToolError};
use crate::platform::files;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{File, OpenOptions};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// The identity of a job that can be continued. Two runs with equal identities are the same job.
pub(crate) trait ResumeJob: Serialize + DeserializeOwned + PartialEq {
    /// Name of the kind of job in messages.
    const NAME: &'static str;

    /// Returns the names and values of its properties, in the order of their importance.
    fn traits(&self) -> Vec<(&'static str, String)>;
}

/// The reason why a finished part cannot be right.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct WrongPart {
    /// The value found.
    pub(crate) found: String,
    /// The value expected.
    pub(crate) expected: String,
}

impl WrongPart {
    /// Returns the reason with both of its parts.
    pub(crate) fn new(found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { found: found.into(), expected: expected.into() }
    }
}

/// The maximum length of the file in bytes. A game takes about a hundred.
const LONGEST: u64 = 1 << 30;

/// The open file of a job.
pub(crate) struct ResumeFile {
    file: File,
    path: PathBuf,
}

impl ResumeFile {
    /// Opens the file of a job and reads the finished parts, which begin on line 2; each has to pass `check`.
    /// Writes the first line of a new file. Cuts off a last line that is not complete.
    ///
    /// # Errors
    /// If the file cannot be read or written, belongs to another job, or has a wrong part. The file is then
    /// unchanged.
    pub(crate) fn open<J: ResumeJob, P: DeserializeOwned>(
        path: &Path,
        job: &J,
        mut check: impl FnMut(&P) -> Result<(), WrongPart>,
    ) -> Result<(Self, Vec<P>), ToolError> {
        let fail = |cause| ToolError::io(path)(cause);
        files::check_regular(path).map_err(fail)?;
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(fail)?;
        let bytes =
            file.metadata().and_then(|data| files::read_whole(&file, LONGEST, data.len())).map_err(fail)?;
        let text = String::from_utf8(bytes)
            .map_err(|_| ToolError::unexpected(path, "bytes that are no text", "UTF-8"))?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut lines = text[..whole].lines().enumerate();
        let foreign = |difference| ToolError::OtherJob { path: path.to_owned(), job: J::NAME, difference };
        match lines.next() {
            Some((_, first)) => {
                let found: J =
                    serde_json::from_str(first).map_err(|why| foreign(JobDifference::NoJob(why)))?;
                if found != *job {
                    return Err(foreign(differing(&found, job)));
                }
            }
            None if !line(job).map_err(ToolError::input(path))?.starts_with(&text) => {
                return Err(foreign(JobDifference::Incomplete(text)));
            }
            None => {}
        }
        let read = |(index, line): (usize, &str)| {
            let place = Place::Line(path.to_owned(), index + 1);
            let part = serde_json::from_str(line).map_err(ToolError::input(place.clone()))?;
            let checked = check(&part);
            checked.map_err(|WrongPart { found, expected }| ToolError::unexpected(place, found, expected))?;
            Ok(part)
        };
        let parts = lines.map(read).collect::<Result<_, ToolError>>()?;
        file.set_len(whole as u64).map_err(fail)?;
        file.seek(SeekFrom::End(0)).map_err(fail)?;
        let mut opened = Self { file, path: path.to_owned() };
        if whole == 0 {
            opened.append(job)?;
        }
        Ok((opened, parts))
    }

    /// Appends a finished part and syncs the file to the disk.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn append(&mut self, part: &impl Serialize) -> Result<(), ToolError> {
        let line = line(part).map_err(ToolError::input(&self.path))?;
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(ToolError::io(&self.path))
    }
}

fn line(value: &impl Serialize) -> Result<String, serde_json::Error> {
    Ok(serde_json::to_string(value)? + "\n")
}

/// Returns the first property in which two jobs differ.
fn differing<J: ResumeJob>(found: &J, expected: &J) -> JobDifference {
    let mut pairs = found.traits().into_iter().zip(expected.traits());
    let difference = pairs.find(|(a, b)| a != b);
    difference.map_or(JobDifference::Arguments, |((name, found), (_, expected))| JobDifference::Property {
        name,
        found,
        expected,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
    struct Count {
        to: u32,
        seed: u32,
    }

    impl ResumeJob for Count {
        const NAME: &'static str = "count";

        fn traits(&self) -> Vec<(&'static str, String)> {
            vec![("the end", self.to.to_string()), ("seed", self.seed.to_string())]
        }
    }

    #[test]
    fn finished_parts_survive_and_half_lines_do_not() {
        let folder = std::env::temp_dir().join(format!("millstone-resume-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("count.jsonl");
        // An earlier run of this test may have left it.
        let _ = std::fs::remove_file(&path);
        let count = Count { to: 9, seed: 1 };
        let check = |&part: &u32| {
            if part < 100 { Ok(()) } else { Err(WrongPart::new(part.to_string(), "a part below 100")) }
        };
        let open = |count: &Count| ResumeFile::open::<_, u32>(&path, count, check);
        let (mut file, parts) = open(&count).unwrap();
        assert!(parts.is_empty());
        file.append(&1).unwrap();
        file.append(&22).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("{text}33")).unwrap();
        let (mut file, parts) = open(&count).unwrap();
        assert_eq!(parts, [1, 22]);
        file.append(&44).unwrap();
        assert_eq!(open(&count).unwrap().1, [1, 22, 44]);
        // The first line may be incomplete too.
        for cut in [0, 1, 9] {
            std::fs::write(&path, &text[..cut]).unwrap();
            assert!(open(&count).unwrap().1.is_empty());
        }
        for (bad, expected) in [
            (text.replace("9", "8"), "another count; the end: found 8, expected 9"),
            (text.replace("\"seed\":1", "\"seed\":7"), "another count; seed: found 7, expected 1"),
            (text.replace("22", "x"), "line 3: "),
            (text.replace("22", "222") + "3", "line 3: found 222, expected a part below 100"),
            ("something else\n".to_owned(), "line 1 names no count"),
            ("something else".to_owned(), "line 1 names no count: found 'something else'"),
        ] {
            std::fs::write(&path, &bad).unwrap();
            let why = open(&count).map(|_| ()).unwrap_err().to_string();
            assert!(why.contains(expected), "{why}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), bad, "it stays as it is");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

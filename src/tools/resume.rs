//! Files from which a long job continues after it was killed: a line that identifies the job, then a line for
//! each finished part.

use super::error::{JobDifference, Place, ToolError};
use crate::platform::files;
use crate::platform::text::quoted;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{File, OpenOptions};
use std::io::{BufReader, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// The names and values of the properties of a job.
pub(crate) type JobTraits = Vec<(&'static str, String)>;

/// The identity of a job that can be continued. Two runs with equal identities are the same job.
pub(crate) trait ResumeJob: Serialize + DeserializeOwned + PartialEq {
    /// Name of the kind of job in messages.
    const NAME: &'static str;

    /// Name of a finished part in messages, with its article.
    const PART: &'static str;

    /// Returns the names and values of its properties, in the order of their importance.
    fn traits(&self) -> JobTraits;
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

/// Checks the time of a finished part, in seconds.
///
/// # Errors
/// If it is negative or no number.
pub(crate) fn check_seconds(seconds: f64) -> Result<(), WrongPart> {
    if seconds.is_finite() && seconds >= 0.0 {
        return Ok(());
    }
    Err(WrongPart::new(format!("{seconds} seconds"), "a time"))
}

/// The name of the kind of job of a match.
pub(crate) const MATCH: &str = "match";
/// The name of the kind of job of `accuracy`.
pub(crate) const MEASUREMENT: &str = "measurement";
/// The name of the kind of job of `tb verify`.
pub(crate) const CHECK: &str = "check";

/// The kinds of jobs, each with a key that only its first line has.
const KINDS: [(&str, &str); 3] = [("players", MATCH), ("engine", MEASUREMENT), ("files", CHECK)];

/// Returns the difference of a first line that is not that of such a job.
fn no_job<J: ResumeJob>(line: &[u8], why: &serde_json::Error) -> JobDifference {
    let object: serde_json::Value = serde_json::from_slice(line).unwrap_or_default();
    match KINDS.iter().find(|(key, _)| object.get(key).is_some()) {
        Some(&(_, kind)) if kind == J::NAME => JobDifference::OtherForm(reason(why)),
        Some(&(_, kind)) => JobDifference::OtherKind(kind),
        None => JobDifference::NoJob(String::from_utf8_lossy(line).into_owned()),
    }
}

/// Returns the reason why one line is not as expected. The parser counts lines within it.
fn reason(why: &serde_json::Error) -> String {
    let (text, column) = (why.to_string(), why.column());
    let place = format!(" at line {} column {column}", why.line());
    text.strip_suffix(&place).map_or(text.clone(), |what| format!("{what} in column {column}"))
}

/// The maximum length of the file in bytes. A game takes a few hundred.
const LONGEST: u64 = 1 << 30;

/// The maximum length of a line in bytes. The first one may hold two engine files.
const LONGEST_LINE: u64 = 16 << 20;

/// The open file of a job. No other run can open it meanwhile.
pub(crate) struct ResumeFile {
    file: File,
    path: PathBuf,
}

/// The lines of a file to resume from.
struct ResumeLines<'a> {
    input: BufReader<&'a File>,
    path: &'a Path,
    /// The number of lines read.
    count: usize,
    line: Vec<u8>,
}

impl ResumeLines<'_> {
    /// Returns the next line without its end, and true if it has one; `None` at the end of the file.
    fn next(&mut self) -> Result<Option<(&[u8], bool)>, ToolError> {
        self.count += 1;
        let is_cut = files::read_line(&mut self.input, LONGEST_LINE, &mut self.line);
        if is_cut.map_err(ToolError::io(self.path))? {
            let expected = format!("a line of less than {LONGEST_LINE} bytes");
            return Err(ToolError::unexpected(self.place(), "a longer one", expected));
        }
        if self.line.is_empty() {
            return Ok(None);
        }
        let is_complete = self.line.ends_with(b"\n");
        let line = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        if is_complete && std::str::from_utf8(line).is_err() {
            return Err(ToolError::unexpected(self.place(), "bytes that are no text", "UTF-8"));
        }
        Ok(Some((line, is_complete)))
    }

    /// Returns the place of the line that was read last.
    fn place(&self) -> Place {
        Place::Line(self.path.to_owned(), self.count)
    }
}

/// Opens the file of a job that is at most `longest` bytes long, or a new one.
///
/// # Errors
/// If another run has opened it, it is longer, or it cannot be read and written.
pub(crate) fn open_alone(path: &Path, longest: u64) -> Result<File, ToolError> {
    let fail = |cause| ToolError::io(path)(cause);
    files::check_target(path).map_err(fail)?;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    // Others may read it, which a lock would not let them there.
    #[cfg(windows)]
    std::os::windows::fs::OpenOptionsExt::share_mode(&mut options, 1);
    let file = options.open(path).map_err(fail)?;
    #[cfg(not(windows))]
    if files::is_locked_elsewhere(&file) {
        return Err(fail(files::busy()));
    }
    let length = file.metadata().map_err(fail)?.len();
    if length > longest {
        return Err(ToolError::unexpected(path, format!("{length} bytes"), format!("at most {longest}")));
    }
    Ok(file)
}

impl ResumeFile {
    /// Opens the file of a job and reads the finished parts, which begin on line 2; each has to pass `check`.
    /// Writes the first line of a new file. Cuts off a last line that is not complete: a part is an object or
    /// a list, so that no beginning of it is a part.
    ///
    /// # Errors
    /// If the file cannot be read or written, another run writes it, it belongs to another job, or it has a
    /// wrong part. The file is then unchanged.
    pub(crate) fn open<J: ResumeJob, P: DeserializeOwned>(
        path: &Path,
        job: &J,
        mut check: impl FnMut(&P) -> Result<(), WrongPart>,
    ) -> Result<(Self, Vec<P>), ToolError> {
        let mut file = open_alone(path, LONGEST)?;
        let mut lines = ResumeLines { input: BufReader::new(&file), path, count: 0, line: Vec::new() };
        let foreign = |difference| ToolError::OtherJob { path: path.to_owned(), job: J::NAME, difference };
        // The bytes that stay, and true if the end of the last line is missing.
        let (mut whole, mut is_open) = (0, false);
        match lines.next()? {
            Some((first, true)) => {
                let found: J =
                    serde_json::from_slice(first).map_err(|why| foreign(no_job::<J>(first, &why)))?;
                if found != *job {
                    return Err(foreign(differing(found.traits(), job.traits())));
                }
                whole += first.len() as u64 + 1;
            }
            Some((first, false))
                if !line(job).map_err(ToolError::input(path))?.as_bytes().starts_with(first) =>
            {
                let text = String::from_utf8_lossy(first).into_owned();
                return Err(foreign(JobDifference::NoJob(text)));
            }
            Some(_) | None => {}
        }
        let mut parts = Vec::new();
        while let Some((line, is_complete)) = lines.next()? {
            let length = line.len() as u64;
            let part = match serde_json::from_slice(line) {
                Ok(part) => part,
                // A run was killed while it wrote this.
                Err(why) if !is_complete && why.is_eof() => break,
                Err(why) => {
                    let line = line.trim_ascii();
                    let found = quoted(&String::from_utf8_lossy(line));
                    let expected = match line.is_empty() {
                        true => J::PART.to_owned(),
                        false => format!("{}: {}", J::PART, reason(&why)),
                    };
                    return Err(ToolError::unexpected(lines.place(), found, expected));
                }
            };
            check(&part).map_err(|WrongPart { found, expected }| {
                ToolError::unexpected(lines.place(), found, expected)
            })?;
            parts.push(part);
            whole += length + u64::from(is_complete);
            is_open = !is_complete;
        }
        let fail = |cause| ToolError::io(path)(cause);
        file.set_len(whole).and_then(|()| file.seek(SeekFrom::End(0))).map_err(fail)?;
        if is_open {
            file.write_all(b"\n").map_err(fail)?;
        }
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
        let written = self.file.write_all(line.as_bytes()).and_then(|()| files::sync(&self.file));
        written.map_err(ToolError::io(&self.path))
    }
}

fn line(value: &impl Serialize) -> Result<String, serde_json::Error> {
    Ok(serde_json::to_string(value)? + "\n")
}

/// Returns the first property in which two jobs of one kind differ.
pub(crate) fn differing(found: JobTraits, expected: JobTraits) -> JobDifference {
    let mut pairs = found.into_iter().zip(expected);
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
    use std::collections::BTreeMap;

    #[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
    struct Count {
        to: u32,
        seed: u32,
    }

    impl ResumeJob for Count {
        const NAME: &'static str = "count";
        const PART: &'static str = "a number";

        fn traits(&self) -> JobTraits {
            vec![("the end", self.to.to_string()), ("seed", self.seed.to_string())]
        }
    }

    #[test]
    fn the_last_line_may_be_cut_at_any_byte() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("count.jsonl");
        let count = Count { to: 9, seed: 1 };
        let open = || ResumeFile::open::<_, BTreeMap<String, (f64, String)>>(&path, &count, |_| Ok(()));
        let part = BTreeMap::from([("found 'x…'".to_owned(), (-1.5e-9, "é\n\u{1}".to_owned()))]);
        let (mut file, _) = open().unwrap();
        file.append(&part).unwrap();
        file.append(&part).unwrap();
        drop(file);
        let whole = std::fs::read(&path).unwrap();
        let length = line(&part).unwrap().len();
        for missing in 0..=length {
            std::fs::write(&path, &whole[..whole.len() - missing]).unwrap();
            // The end of the line alone says nothing.
            let kept = if missing <= 1 { 2 } else { 1 };
            assert_eq!(open().unwrap().1.len(), kept, "{missing}");
            let left = whole.len() - if kept == 2 { 0 } else { length };
            assert_eq!(std::fs::read(&path).unwrap(), whole[..left], "{missing}");
        }
    }

    /// As `/dev/stdout` does where a shell has led it to a file, which a report would overwrite.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_stream_is_refused_although_it_leads_to_a_file() {
        use std::os::fd::AsRawFd as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("count.jsonl");
        let output = File::create(&path).unwrap();
        let stream = PathBuf::from(format!("/proc/self/fd/{}", output.as_raw_fd()));
        let opened = ResumeFile::open::<_, u32>(&stream, &Count { to: 9, seed: 1 }, |_| Ok(()));
        let why = opened.map(|_| ()).unwrap_err().to_string();
        assert!(why.ends_with("it is not a regular file"), "{why}");
        assert_eq!(path.metadata().unwrap().len(), 0);
    }

    #[test]
    fn a_long_line_is_refused_before_it_takes_memory() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("count.jsonl");
        let open = || ResumeFile::open::<_, u32>(&path, &Count { to: 9, seed: 1 }, |_| Ok(()));
        // Files without blocks on the disk.
        for (length, expected) in [
            (LONGEST, "line 1: found a longer one, expected a line of less than 16777216 bytes"),
            (LONGEST + 1, "found 1073741825 bytes, expected at most 1073741824"),
        ] {
            File::create(&path).unwrap().set_len(length).unwrap();
            let why = open().map(|_| ()).unwrap_err().to_string();
            assert!(why.ends_with(expected), "{why}");
            assert_eq!(path.metadata().unwrap().len(), length);
        }
    }

    #[test]
    fn finished_parts_survive_and_half_lines_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("count.jsonl");
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
        let busy = open(&count).map(|_| ()).unwrap_err().to_string();
        #[cfg(not(windows))]
        assert!(busy.ends_with(": another run is writing it"), "{busy}");
        drop(file);
        std::fs::write(&path, format!("{text}\"3")).unwrap();
        let (mut file, parts) = open(&count).unwrap();
        assert_eq!(parts, [1, 22]);
        file.append(&44).unwrap();
        drop(file);
        assert_eq!(open(&count).unwrap().1, [1, 22, 44]);
        // Only the end of the line is missing.
        std::fs::write(&path, format!("{text}33")).unwrap();
        let (mut file, parts) = open(&count).unwrap();
        assert_eq!(parts, [1, 22, 33]);
        file.append(&44).unwrap();
        drop(file);
        assert_eq!(open(&count).unwrap().1, [1, 22, 33, 44]);
        // The first line may be incomplete too.
        for cut in [0, 1, 9] {
            std::fs::write(&path, &text[..cut]).unwrap();
            assert!(open(&count).unwrap().1.is_empty());
        }
        for (bad, expected) in [
            (text.replace("9", "8"), "another count; the end: found 8, expected 9"),
            (text.replace("\"seed\":1", "\"seed\":7"), "another count; seed: found 7, expected 1"),
            (text.replace("22", "x"), "line 3: found 'x', expected a number: expected value in column 1"),
            (text.replace("22", "222") + "3", "line 3: found 222, expected a part below 100"),
            (text.clone() + "3x", "line 4: found '3x', expected a number: trailing characters in column 2"),
            (text.clone() + "\n", "line 4: found nothing, expected a number"),
            (text.clone() + " \r\n4\n", "line 4: found nothing, expected a number"),
            (text.clone() + "300", "line 4: found 300, expected a part below 100"),
            ("\n".to_owned(), "line 1: found nothing, expected the first line of a count"),
            ("something\n".to_owned(), "line 1: found 'something', expected the first line of a count"),
            ("something".to_owned(), "line 1: found 'something', expected the first line of a count"),
            ("{\n  \"game\": 7\n}".to_owned(), "line 1: found '{', expected the first line of a count"),
            ("{\"players\":0}\n".to_owned(), "found the file of a match, expected that of a count"),
        ] {
            std::fs::write(&path, &bad).unwrap();
            let why = open(&count).map(|_| ()).unwrap_err().to_string();
            assert!(why.contains(expected), "{why}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), bad, "it stays as it is");
        }
    }
}

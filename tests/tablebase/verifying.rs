//! Tests of checks that continue where an earlier run stopped.

use super::{Folder, Scope, VerifyJob, job_of, verify_job};
use millstone::internals::manifest::Manifest;
use millstone::internals::tb::verify::VerifyVerdict;
use millstone::rules::Rules;
use std::path::PathBuf;

/// A game of four men whose mills count when all men are placed.
const RULES: Rules = Rules { pieces_count: 4, ..Rules::EL_FILJA };

/// Runs a check. Returns the verdict and the number of sectors that were reported.
fn run(job: &VerifyJob) -> Result<(VerifyVerdict, usize), String> {
    let mut sectors = 0;
    let verdict = job.run(|_| {
        sectors += 1;
        Ok(())
    });
    verdict.map(|verdict| (verdict, sectors)).map_err(|error| error.to_string())
}

fn built(name: &str) -> (Folder, VerifyJob) {
    let folder = Folder::new(name);
    job_of(&RULES, Scope::All, folder.path(), 2).run().expect("a build");
    let resume = Some(folder.file("check.jsonl"));
    let job = VerifyJob { resume, ..verify_job(&RULES, folder.path()) };
    (folder, job)
}

fn lines(job: &VerifyJob) -> Vec<String> {
    let text = std::fs::read_to_string(job.resume.as_ref().expect("a file")).expect("readable");
    text.lines().map(|line| line.to_owned() + "\n").collect()
}

#[test]
fn a_check_that_was_stopped_continues_and_proves_the_same() {
    let (_folder, job) = built("verify-resumes");
    let (whole, sectors) = run(&job).expect("checked");
    assert!(whole.faults.is_empty() && whole.proved.sectors == sectors, "{whole:?}");
    let all = lines(&job);
    // The first line names the job. The sector before the settlement is checked in each run.
    assert_eq!(all.len(), sectors);
    let path = job.resume.clone().expect("a file");
    for left in [0, 1, 2, all.len() / 2, all.len()] {
        // A run may have been killed while it wrote a line.
        let half = all.get(left).map_or("", |line| &line[..line.len() / 2]);
        std::fs::write(&path, all[..left].concat() + half).expect("written");
        assert_eq!(run(&job), Ok((whole.clone(), sectors)), "{left} lines");
        assert_eq!(lines(&job), all, "{left} lines");
    }
    // Kept sectors are not looked at again: without distances this one is not proved.
    let changed = all[1].replace("Distance", "Wdl");
    std::fs::write(&path, [&all[0], &changed].map(String::as_str).concat()).expect("written");
    let (verdict, _) = run(&job).expect("checked");
    assert!(verdict.consistent.sectors > 0, "{verdict:?}");
    // A sector is kept as a whole.
    let slots = serde_json::from_str::<serde_json::Value>(&all[1]).expect("a part")["slots"].to_string();
    for (before, after) in [
        (format!("\"slots\":{slots}"), "\"slots\":7".to_owned()),
        (format!("\"slots\":{slots}"), format!("\"slots\":1{slots}")),
        ("\"is_whole\":true".to_owned(), "\"is_whole\":false".to_owned()),
    ] {
        let changed = all[1].replace(&before, &after);
        std::fs::write(&path, [&all[0], &changed].map(String::as_str).concat()).expect("written");
        let error = run(&job).expect_err("not all slots");
        let expected = format!(", expected the whole with {slots}");
        assert!(error.contains("line 2: found ") && error.contains(&expected), "{error}");
    }
}

#[test]
fn a_check_notices_files_that_changed_after_it_was_stopped() {
    let (folder, job) = built("verify-changed");
    let (whole, sectors) = run(&job).expect("checked");
    let file: PathBuf = folder.file("3_3_0_0.wdl");
    let sound = std::fs::read(&file).expect("readable");
    let mut damaged = sound.clone();
    damaged[sound.len() / 2] ^= 1;
    std::fs::write(&file, &damaged).expect("written");
    let (verdict, _) = run(&job).expect("checked");
    assert!(verdict.faults.iter().any(|fault| fault.to_string().contains("3_3_0_0.wdl")), "{verdict:?}");
    assert!(verdict.proved.slots < whole.proved.slots);
    std::fs::write(&file, &sound).expect("written");
    assert_eq!(run(&job), Ok((whole, sectors)));
}

#[test]
fn a_check_refuses_the_file_of_another() {
    let (_folder, job) = built("verify-foreign");
    run(&job).expect("checked");
    let sampled = VerifyJob { sample: Some(5), ..job.clone() };
    let error = run(&sampled).expect_err("all positions were checked, not a sample");
    assert!(error.ends_with("the positions of a sector: found all, expected 5"), "{error}");
    let all = lines(&job);
    let path = job.resume.as_ref().expect("a file");
    std::fs::write(path, all.concat().replace("\"own\":3", "\"own\":9")).expect("written");
    let error = run(&job).expect_err("a sector that the folder does not have");
    assert!(error.contains("found sector 9_3_0_0, expected one of the manifest"), "{error}");
}

/// A file that is not listed is not checked, so nothing may be found right by it, also after it is gone.
#[test]
fn values_are_compared_with_listed_files_alone() {
    let folder = Folder::new("verify-unlisted");
    job_of(&Rules::NINE, Scope::Men(7), folder.path(), 2).run().expect("a build");
    let resume = Some(folder.file("check.jsonl"));
    let job = VerifyJob { resume, ..verify_job(&Rules::NINE, folder.path()) };
    // Its results stay listed, so the sector itself is still checked.
    let name = "3_3_0_0.dist";
    let mut manifest = Manifest::load(folder.path()).expect("sound").expect("a manifest");
    manifest.files.remove(name).expect("an entry");
    manifest.save(folder.path()).expect("saved");
    let unlisted = format!("{name} is not in the manifest");
    let faults = |job: &VerifyJob| -> Vec<String> {
        run(job).expect("checked").0.faults.iter().map(ToString::to_string).collect()
    };
    let found = faults(&VerifyJob { only: Some("4-3".to_owned()), resume: None, ..job.clone() });
    assert!(found.len() == 1 && found[0].contains(&unlisted), "{found:?}");
    let found = faults(&job);
    assert!(found.len() == 1 && found[0].contains(&unlisted), "{found:?}");
    // Takes lead from three against four to that sector.
    let noted = |own, theirs| {
        lines(&job).concat().contains(&format!("\"own\":{own},\"theirs\":{theirs},\"own_hand\":0"))
    };
    assert!(noted(4, 3) && !noted(3, 4), "{:?}", lines(&job));
    std::fs::remove_file(folder.file(name)).expect("removed");
    let found = faults(&job);
    assert!(found.len() == 1 && found[0].contains(&format!("{name} is missing")), "{found:?}");
}

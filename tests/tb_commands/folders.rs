//! The reports of `tb verify`, `stats`, `repack` and `build` on the content of a folder.

use super::{objects, refused, said, tablebase_files};
use crate::common::{Folder, millstone, plain, stderr_text};
use millstone::internals::file::TbFile;
use millstone::internals::folder::MANIFEST;
use millstone::internals::folder::file_name;
use millstone::internals::header::TbKind;
use millstone::tablebase::Sector;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Inverts the last byte, which belongs to the last block.
fn spoil(path: &Path) {
    let mut bytes = fs::read(path).expect("a tablebase file");
    *bytes.last_mut().expect("bytes") ^= 0xFF;
    fs::write(path, bytes).expect("written");
}

#[test]
fn embed_joins_files_under_either_name_of_its_output() {
    let folder = tablebase_files("embed", 7, &[]);
    let path = plain(folder.path());
    let names = ["3_3_0_0.dist", "4_3_0_0.wdl"];
    let expected: usize = names.iter().map(|name| fs::read(folder.file(name)).expect("a file").len()).sum();
    for option in ["--output", "--out"] {
        let output = folder.file(format!("container{option}"));
        let arguments = [&["tb", "embed", "--path", path, option, plain(&output)], &names[..]].concat();
        let report = millstone(&arguments);
        assert!(report.status.success(), "{}", stderr_text(&report));
        let bytes = fs::read(&output).expect("a container");
        assert!(bytes.starts_with(b"MILLSET\x1A\x02\0\0\0"), "{:?}", &bytes[..12]);
        assert_eq!(bytes.len(), 12 + 4 * names.len() + expected);
        assert!(said(&report).contains("2 files"), "{}", said(&report));
        // Again, over the container.
        assert!(millstone(&arguments).status.success());
    }
    // Over one of the tables it reads.
    let table = folder.file("3_3_0_0.wdl");
    let before = fs::read(&table).expect("a file");
    let error = refused(&["tb", "embed", "--path", path, "--output", plain(&table), "4_3_0_0.wdl"]);
    assert!(error.contains("3_3_0_0.wdl: found another file, expected a new name"), "{error}");
    assert_eq!(fs::read(&table).expect("a file"), before);
}

#[test]
fn embed_refuses_files_of_other_rules_and_sectors_and_the_same_twice() {
    let folder = tablebase_files("embed-refused", 7, &[]);
    let output = folder.file("container");
    let embed = |more: &[&str]| {
        let first = ["tb", "embed", "--path", plain(folder.path()), "--output", plain(&output)];
        refused(&[&first, more].concat())
    };
    let twice = embed(&["3_3_0_0.wdl", "3_4_0_0.wdl", "3_3_0_0.wdl"]);
    assert!(twice.contains("FILE: found 3_3_0_0.wdl twice, expected each file once"), "{twice}");
    let strange = embed(&["./3_3_0_0.wdl"]);
    assert!(strange.contains("FILE: found './3_3_0_0.wdl', expected a name such as"), "{strange}");
    let foreign = embed(&["--rules", "dooz", "3_3_0_0.wdl"]);
    assert!(foreign.contains("3_3_0_0.wdl does not fit: made for "), "{foreign}");
    fs::copy(folder.file("4_3_0_0.wdl"), folder.file("3_3_0_0.wdl")).expect("copied");
    let misnamed = embed(&["3_3_0_0.wdl"]);
    assert!(misnamed.contains("holds what should be named 4_3_0_0.wdl"), "{misnamed}");
    assert!(!output.exists());
    let unnamed = refused(&["tb", "embed", "--path", plain(folder.path()), "4_3_0_0.wdl"]);
    assert!(unnamed.contains("--output <OUTPUT>"), "{unnamed}");
}

#[test]
fn verify_lists_every_fault_and_goes_on() {
    let folder = tablebase_files("faults", 7, &[]);
    spoil(&folder.file("3_3_0_0.wdl"));
    fs::remove_file(folder.file("4_3_0_0.dist")).expect("removed");
    fs::copy(folder.file("3_4_0_0.wdl"), folder.file("5_5_0_0.wdl")).expect("copied");
    let path = plain(folder.path());

    let output = millstone(&["tb", "verify", "--path", path, "--json"]);
    assert_eq!(output.status.code(), Some(2));
    let objects = objects(&output);
    let (verdict, sectors) = objects.split_last().expect("a verdict");
    assert_eq!(sectors.len(), 3, "each sector is reported");
    assert!(sectors.iter().all(|sector| sector["faults"].is_array()), "{sectors:?}");
    let faults: Vec<&str> =
        verdict["faults"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    // The check of 3-4 also needs the file of 4-3; its absence is reported once.
    assert_eq!(faults.len(), 3, "{faults:?}");
    for (fault, named) in
        faults.iter().zip(["5_5_0_0.wdl is not in the manifest", "3_3_0_0.wdl", "4_3_0_0.dist is missing"])
    {
        assert!(fault.contains(named), "{fault}");
        assert!(stderr_text(&output).contains(fault), "on standard error as well");
    }
    assert_eq!(verdict["proved"]["sectors"], 0);

    let output = millstone(&["tb", "verify", "--path", "/nowhere", "--json"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(self::objects(&output)[0]["faults"][0].as_str().expect("a text").contains("/nowhere"));
}

#[test]
fn stats_looks_at_the_files_that_the_manifest_lists() {
    let folder = tablebase_files("stats", 7, &[]);
    let stats = ["tb", "stats", "--path", plain(folder.path())];
    assert!(said(&millstone(&stats)).contains("3 sectors, 6 files, "));
    let table = folder.file("4_3_0_0.wdl");
    let whole = fs::read(&table).expect("a tablebase file");
    // A sound file with other blocks, and a short one.
    let to = Folder::new("stats-to");
    let repack = ["tb", "repack", "--block", "256", "--from", stats[3], "--to", plain(to.path())];
    assert!(millstone(&repack).status.success());
    for bytes in [&fs::read(to.file("4_3_0_0.wdl")).expect("a tablebase file"), &whole[..whole.len() - 1]] {
        fs::write(&table, bytes).expect("written");
        let error = refused(&stats);
        let lengths = format!("{} bytes long, expected {}\n", bytes.len(), whole.len());
        assert!(error.contains("4_3_0_0.wdl is damaged: ") && error.ends_with(&lengths), "{error}");
    }
    fs::remove_file(&table).expect("removed");
    let error = refused(&stats);
    assert!(error.contains("4_3_0_0.wdl is missing"), "{error}");
}

#[test]
fn files_of_other_rules_are_named_by_their_rules_once() {
    let dooz = tablebase_files("dooz", 7, &["--rules", "dooz"]);
    let path = plain(dooz.path());
    let to = Folder::new("dooz-to");
    for command in [
        &["tb", "repack", "--to", plain(to.path()), "--from", path] as &[&str],
        &["tb", "stats", "--path", path],
        &["tb", "verify", "--path", path],
        // None of its files is there, but the manifest would list those of both games.
        &["tb", "build", "--only", "2_3_1_0", "--path", path],
    ] {
        let error = refused(command);
        let expected = "3_3_0_0.dist does not fit: made for other rules than nine: dooz or nerenchi\n";
        assert!(error.ends_with(expected) && error.lines().count() == 1, "{error}");
    }
    fs::remove_file(dooz.file(MANIFEST)).expect("removed");
    let error = refused(&["tb", "build", "--scope", "7-men", "--path", path]);
    assert!(error.ends_with("does not fit: made for dooz or nerenchi, expected nine or lasker\n"), "{error}");
    // Rules without a name are described.
    let rules = "nine,MayFly=false,StalemateAction=4";
    let unnamed = tablebase_files("unnamed", 6, &["--rules", rules]);
    let error = refused(&["tb", "verify", "--path", plain(unnamed.path())]);
    assert!(error.contains("other rules than nine: diagonals=false fly_at=0 ") && error.lines().count() == 1);
    fs::remove_file(unnamed.file(MANIFEST)).expect("removed");
    let error = refused(&["tb", "build", "--scope", "6-men", "--path", plain(unnamed.path())]);
    assert!(
        error.contains("made for rules with fingerprint ") && error.contains(", expected nine"),
        "{error}"
    );
}

#[test]
fn games_that_share_the_moving_phase_do_not_share_a_folder_with_men_in_hand() {
    let folder = tablebase_files("shared", 7, &[]);
    let path = plain(folder.path());
    let build = |rules, unit| ["tb", "build", "--quiet", "--rules", rules, "--only", unit, "--path", path];
    assert!(millstone(&build("nine", "2_3_1_0")).status.success());
    let ten = "nine,PiecesCount=10";
    let before = folder.names();
    let error = refused(&build(ten, "2_4_1_0"));
    assert!(error.contains("2_3_1_0.wdl does not fit: made for other rules than "), "{error}");
    assert_eq!(folder.names(), before);
    // The moving phase may have been begun under other rules.
    let moving = tablebase_files("shared-moving", 7, &[]);
    let build =
        ["tb", "build", "--quiet", "--rules", ten, "--only", "2_3_1_0", "--path", plain(moving.path())];
    assert!(millstone(&build).status.success());
    let error = refused(&["tb", "repack", "--from", path, "--to", plain(moving.path())]);
    assert!(error.contains("2_3_1_0.wdl does not fit: made for other rules than nine: "), "{error}");
}

#[test]
fn verify_says_what_is_proved_and_what_is_not() {
    let exact = tablebase_files("proved", 7, &[]);
    let verify = |folder: &Folder, more: &[&str]| {
        let output = millstone(&[&["tb", "verify", "--path", plain(folder.path())], more].concat());
        assert!(output.status.success(), "{}", stderr_text(&output));
        said(&output)
    };
    let verdict = |folder: &Folder, more: &[&str]| {
        verify(folder, more)
            .lines()
            .filter(|line| line.contains(" sectors, "))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let [proved] = verdict(&exact, &[]).try_into().expect("one line");
    assert!(proved.starts_with("proved: 3 sectors, "), "{proved}");
    // Of each sector as many as it has slots, also where the two of a pair differ.
    let compared = |line: &Value| (line["sector"].clone(), line["slots"].as_u64());
    let json = verify(&exact, &["--json"]);
    let checked = json.lines().filter_map(|line| {
        let line: Value = serde_json::from_str(line).expect("an object");
        (!line["sector"].is_null()).then(|| compared(&line))
    });
    let slots = [Sector::moving(3, 3), Sector::moving(4, 3), Sector::moving(3, 4)];
    let slots = slots.map(|sector| (sector.to_string().into(), Some(sector.slots())));
    assert_eq!(checked.collect::<Vec<(Value, _)>>(), slots);
    let [sampled] = verdict(&exact, &["--sample", "100"]).try_into().expect("one line");
    assert!(sampled.starts_with("sampled, not proved: 3 sectors, "), "{sampled}");
    // A unit checked without the sectors it leads to is not proved.
    let [apart] = verdict(&exact, &["--only", "4-3"]).try_into().expect("one line");
    assert!(apart.starts_with("consistent, not proved: 2 sectors, "), "{apart}");

    // A placing sector is proved only if the sectors it leads to are.
    let results = tablebase_files("consistent", 6, &["--distances", "none"]);
    for (folder, distances, expected) in
        [(&exact, "moving", "proved: 4 sectors"), (&results, "none", "consistent, not proved: 2 sectors")]
    {
        let path = plain(folder.path());
        let built = millstone(&[
            "tb",
            "build",
            "--quiet",
            "--distances",
            distances,
            "--only",
            "2_3_1_0",
            "--path",
            path,
        ]);
        assert!(built.status.success(), "{}", stderr_text(&built));
        let [verdict] = verdict(folder, &[]).try_into().expect("one line");
        assert!(verdict.starts_with(expected), "{verdict}");
    }
    let text = verify(&results, &[]);
    assert!(!text.contains("right") && !text.contains("\nproved"), "{text}");
}

#[test]
fn a_manifest_that_names_what_cannot_be_is_refused_with_advice() {
    let folder = tablebase_files("impossible", 6, &[]);
    let path = plain(folder.path());
    let manifest = fs::read_to_string(folder.file(MANIFEST)).expect("a manifest");
    let to = Folder::new("impossible-to");
    for text in [manifest.replace("3_3_0_0.wdl", "13_13_0_0.wdl"), "{".to_owned()] {
        folder.write(MANIFEST, &text);
        for command in [
            &["tb", "repack", "--to", plain(to.path()), "--from", path] as &[&str],
            &["tb", "stats", "--path", path],
            &["tb", "verify", "--path", path],
            &["tb", "build", "--scope", "6-men", "--path", path],
        ] {
            let error = refused(command);
            assert!(
                error.contains("manifest.json is damaged: ") && error.contains("without it, tb build"),
                "{error}"
            );
        }
    }
    // A manifest without entries proves nothing.
    let empty = manifest.split("\"files\"").next().expect("a head").to_owned() + "\"files\": {}}";
    folder.write(MANIFEST, empty);
    assert!(
        refused(&["tb", "verify", "--path", path]).contains("manifest.json lists no files; tb build checks")
    );
    let none = Folder::new("no tables for tb");
    let probed = refused(&["tb", "probe", "startpos", "--path", plain(none.path())]);
    assert_eq!(probed.matches("holds no tablebase files").count(), 1, "{probed}");
    // Follows the advice of the message.
    fs::remove_file(folder.file(MANIFEST)).expect("removed");
    assert!(millstone(&["tb", "build", "--quiet", "--scope", "6-men", "--path", path]).status.success());
    assert_eq!(fs::read_to_string(folder.file(MANIFEST)).expect("a manifest"), manifest);
}

#[test]
fn a_file_with_the_listed_values_in_another_packing_is_listed_and_not_solved_again() {
    let folder = tablebase_files("repacked", 7, &[]);
    let other = Folder::new("repacked-to");
    let [path, to] = [&folder, &other].map(|folder| plain(folder.path()));
    assert!(millstone(&["tb", "repack", "--from", path, "--to", to, "--block", "512"]).status.success());
    // As after a repack that was killed before it had listed the file.
    let name = "4_3_0_0.wdl";
    let packed = fs::read(other.file(name)).expect("a file");
    assert_ne!(fs::read(folder.file(name)).expect("a file"), packed);
    folder.write(name, &packed);
    let build = millstone(&["tb", "build", "--scope", "7-men", "--path", path]);
    assert!(stderr_text(&build).starts_with("nothing to build: "), "{}", stderr_text(&build));
    assert_eq!(fs::read(folder.file(name)).expect("a file"), packed);
    assert!(said(&millstone(&["tb", "verify", "--path", path])).contains("proved: 3 sectors, "));
    // A damaged one is.
    let mut damaged = packed;
    *damaged.last_mut().expect("bytes") ^= 1;
    folder.write(name, &damaged);
    assert!(millstone(&["tb", "build", "--quiet", "--scope", "7-men", "--path", path]).status.success());
    assert!(said(&millstone(&["tb", "verify", "--path", path])).contains("proved: 3 sectors, "));
}

#[test]
fn files_without_a_manifest_are_listed_by_the_next_build_as_the_message_says() {
    let folder = tablebase_files("unlisted", 7, &["--no-manifest"]);
    let path = plain(folder.path());
    let to = Folder::new("unlisted-to");
    for command in [
        &["tb", "repack", "--to", plain(to.path()), "--from", path] as &[&str],
        &["tb", "stats", "--path", path],
        &["tb", "verify", "--path", path],
    ] {
        let error = refused(command);
        let advice =
            "manifest.json is missing; tb build checks and lists the files of its --scope and --distances";
        assert!(error.contains(advice) && !error.contains("holds no"), "{error}");
    }
    let build = ["tb", "build", "--scope", "7-men", "--path", path];
    let listed = stderr_text(&millstone(&build));
    assert!(listed.contains("6 files added to manifest.json\n"), "{listed}");
    assert!(listed.contains("nothing to build: ") && listed.contains("already holds 2 units"), "{listed}");
    let again = stderr_text(&millstone(&build));
    assert!(again.starts_with("nothing to build: "), "{again}");
    assert!(said(&millstone(&["tb", "stats", "--path", path])).contains("3 sectors, 6 files, "));
    assert!(refused(&["tb", "stats", "--path", plain(to.path())]).contains("holds no tablebase files"));
}

#[test]
fn a_file_under_the_name_of_another_stays_until_it_is_removed_as_the_message_says() {
    let folder = tablebase_files("swapped", 7, &[]);
    let path = plain(folder.path());
    let build = ["tb", "build", "--quiet", "--scope", "7-men", "--path", path];
    let table = folder.file("3_3_0_0.dist");
    let right = fs::read(&table).expect("a tablebase file");
    fs::copy(folder.file("3_4_0_0.dist"), &table).expect("copied");
    let swapped = fs::read(&table).expect("a tablebase file");
    let error = refused(&build);
    let advice = "holds what should be named 3_4_0_0.dist; tb build makes the right one once it is removed";
    assert!(error.contains("3_3_0_0.dist does not fit: ") && error.contains(advice), "{error}");
    assert_eq!(fs::read(&table).expect("a tablebase file"), swapped);
    fs::remove_file(&table).expect("removed");
    assert!(millstone(&build).status.success());
    assert_eq!(fs::read(&table).expect("a tablebase file"), right);
}

#[test]
fn repack_redoes_files_of_another_packing_and_keeps_the_others() {
    let from = tablebase_files("levels", 8, &[]);
    let to = Folder::new("levels-to");
    let sector = Sector::moving(4, 4);
    let header =
        || TbFile::open(&to.file(file_name(sector, TbKind::Distance))).expect("a tablebase file").header;
    let repack = |more: &[&str]| {
        let first = ["tb", "repack", "--from", plain(from.path()), "--to", plain(to.path())];
        millstone(&[&first, more].concat())
    };
    assert!(repack(&["--level", "3"]).status.success());
    assert_eq!(header().level, 3);
    let written = || fs::metadata(to.file("4_4_0_0.dist")).and_then(|data| data.modified()).expect("a time");
    let before = written();
    assert!(repack(&["--level", "3"]).status.success());
    assert_eq!(written(), before, "the same again is left alone");
    assert!(repack(&["--level", "9"]).status.success());
    assert_eq!(header().level, 9);
    assert!(repack(&["--level", "9", "--block", "1000"]).status.success());
    assert_eq!(header().block_slots, 1000);
    let verified = millstone(&["tb", "verify", "--path", plain(to.path())]);
    assert!(verified.status.success(), "{}", stderr_text(&verified));

    // Repacking does not begin if the settings fail for any file: 4-4 is large enough for a model.
    let other = Folder::new("levels-other");
    let error = refused(&[
        "tb",
        "repack",
        "--block",
        "1000",
        "--from",
        plain(from.path()),
        "--to",
        plain(other.path()),
    ]);
    assert!(error.contains("4_4_0_0.wdl: blocks of 1000 slots, expected a multiple of 1024"), "{error}");
    assert!(other.names().is_empty(), "{:?}", other.names());
    let same = from.file("../").join(from.path().file_name().expect("a name"));
    let error = refused(&["tb", "repack", "--from", plain(from.path()), "--to", plain(&same)]);
    assert!(error.contains("same folder"), "{error}");
}

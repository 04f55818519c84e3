//! `tune`: what it refuses before long work.

use crate::common;

use common::{Folder, millstone, plain, told};
use std::fs;

#[test]
fn samples_that_cannot_be_used_are_refused_and_stay() {
    let folder = Folder::new("tune");
    let [samples, output] = ["samples.bin", "network.bin"].map(|name| folder.file(name));
    let refused = |samples: &str, output: &str| {
        let answer = millstone(&["tune", "--samples", samples, "--output", output]);
        assert_eq!(answer.status.code(), Some(2), "{}", told(&answer));
        told(&answer)
    };
    fs::write(&samples, "no samples").expect("a file for the test");
    assert!(refused(plain(&samples), plain(&output)).contains("samples.bin"));
    assert!(refused(plain(&samples), plain(&samples)).contains("same file"));
    let crooked = folder.path().join(".").join("samples.bin");
    assert!(refused(plain(&crooked), plain(&samples)).contains("same file"));
    assert_eq!(fs::read(&samples).expect("it is still there"), b"no samples");
    assert!(refused("/dev/null", plain(&output)).contains("regular file"));
    let few = millstone(&["tune", "--positions", "1000", "--output", plain(&output)]);
    assert!(told(&few).contains("1000 is not in 40000.."), "{}", told(&few));
    assert!(!output.exists());
}

#[test]
fn tables_of_a_part_of_the_game_are_refused() {
    let folder = Folder::new("tune tables");
    let [tables, output] = ["tables", "network.bin"].map(|name| folder.file(name));
    let tables = plain(&tables);
    let built = millstone(&["tb", "build", "--quiet", "--scope", "6-men", "--path", tables]);
    assert!(built.status.success(), "{}", told(&built));
    let positions = ["--positions", "40000", "--tables", tables, "--output", plain(&output)];
    let answer = millstone(&[&["tune"][..], &positions].concat());
    assert_eq!(answer.status.code(), Some(2), "{}", told(&answer));
    let text = told(&answer);
    assert!(text.contains("found no ") && text.contains("expected the whole standard game"), "{text}");
    assert!(!output.exists());
}

//! The packages of `data`: changed content needs a new version, else the registry keeps the old content.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

#[test]
fn every_data_file_has_the_checksum_of_the_version_of_its_package() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let mut listed = BTreeSet::new();
    for line in fs::read_to_string(data.join("checksums.txt")).expect("a table").lines() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let [package, version, name, checksum] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("'{line}' is not a package, a version, a file and a checksum")
        };
        let manifest = fs::read_to_string(data.join(package).join("Cargo.toml")).expect("a manifest");
        let file = data.join(package).join("src").join(name);
        let found = xxh3_64(&fs::read(&file).expect("a data file"));
        assert!(
            manifest.contains(&format!("\nversion = \"{version}\"\n")) && checksum == format!("{found:016x}"),
            "data/{package}/src/{name} has the checksum {found:016x}, data/checksums.txt says '{line}': set \
             a new version in data/{package}/Cargo.toml, and change all lines of the package"
        );
        listed.insert(file);
    }
    for package in fs::read_dir(&data).expect("the packages").map(|entry| entry.expect("an entry").path()) {
        let Ok(files) = fs::read_dir(package.join("src")) else { continue };
        for file in files.map(|entry| entry.expect("an entry").path()) {
            assert!(
                file.ends_with("lib.rs") || listed.contains(&file),
                "data/checksums.txt lacks {}",
                file.display()
            );
        }
    }
}

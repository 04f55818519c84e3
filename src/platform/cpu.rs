//! The check that the processor has the instructions that the program was compiled for.
//!
//! The standard library's detection is folded away for features of the compilation target, so this code
//! executes CPUID itself. It runs before everything else and uses only plain integer arithmetic on constants.

#![allow(unsafe_code)]
// The intrinsics are safe in newer compilers, but not in the oldest supported one.
#![allow(unused_unsafe)]

/// The message for a processor that lacks instructions.
const ADVICE: &[u8] = b"millstone: this processor lacks instructions that the program was compiled for \
(x86-64-v3: AVX2, BMI, FMA, population count, as in processors since about 2015).\n\
Build it for this machine with: RUSTFLAGS=\"-C target-cpu=native\" cargo build --release\n";

/// Ends the program with a message and status 2 if the processor lacks instructions.
#[inline(never)]
pub fn check() {
    if !is_sufficient() {
        use std::io::Write;
        let _ = std::io::stderr().write_all(ADVICE);
        std::process::exit(2);
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn is_sufficient() -> bool {
    true
}

#[cfg(target_arch = "x86_64")]
#[inline(never)]
fn is_sufficient() -> bool {
    use std::arch::x86_64::{__cpuid, __cpuid_count};

    /// The bits of the features that the program was compiled with.
    macro_rules! needed {
        ($($feature:literal: $bit:literal),*) => {
            0u32 $(| (cfg!(target_feature = $feature) as u32) << $bit)*
        };
    }
    // Bit numbers of the CPUID results, from the Intel and AMD manuals.
    const LEAF_1_ECX: u32 = needed!(
        "sse3": 0, "ssse3": 9, "fma": 12, "cmpxchg16b": 13, "sse4.1": 19, "sse4.2": 20, "movbe": 22,
        "popcnt": 23, "avx": 27, "avx": 28, "f16c": 29
    );
    const LEAF_7_EBX: u32 = needed!("bmi1": 3, "avx2": 5, "bmi2": 8);
    const EXTENDED_ECX: u32 = needed!("lzcnt": 5);

    let lacks = |found: u32, needed: u32| (found & needed) ^ needed;
    // SAFETY: every processor of this architecture has CPUID; leaves beyond the largest are not read.
    let (basic, extended) = unsafe { (__cpuid(0).eax, __cpuid(0x8000_0000).eax) };
    let mut missing = 0;
    if basic >= 1 {
        // SAFETY: as above.
        missing |= lacks(unsafe { __cpuid(1).ecx }, LEAF_1_ECX);
    } else {
        missing |= LEAF_1_ECX;
    }
    if basic >= 7 {
        // SAFETY: as above.
        missing |= lacks(unsafe { __cpuid_count(7, 0).ebx }, LEAF_7_EBX);
    } else {
        missing |= LEAF_7_EBX;
    }
    if extended >= 0x8000_0001 {
        // SAFETY: as above.
        missing |= lacks(unsafe { __cpuid(0x8000_0001).ecx }, EXTENDED_ECX);
    } else {
        missing |= EXTENDED_ECX;
    }
    // Bit 27 of leaf 1, listed above as "avx", is OSXSAVE: the system saves the wide registers.
    missing == 0
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_machine_that_runs_the_tests_is_sufficient() {
        assert!(super::is_sufficient());
    }
}

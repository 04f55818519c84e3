//! The check that the processor has the instructions for which the program was compiled.
//!
//! The detection of the standard library reports every feature of the compilation target as present, so this
//! code executes CPUID itself. It runs before everything else and uses only plain integer arithmetic on
//! constants.

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

/// The bits of the features that the processor and the system support, or that the program needs. A bit of
/// `xcr0` is a set of registers that the system saves when it switches threads.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
struct CpuFeatures {
    leaf_1_ecx: u32,
    leaf_7_ebx: u32,
    leaf_7_ecx: u32,
    extended_ecx: u32,
    xcr0: u32,
}

/// The bit of leaf 1 that says that XCR0 can be read.
#[cfg(target_arch = "x86_64")]
const OSXSAVE: u32 = 1 << 27;

/// The features that the program was compiled with. Bit numbers from the Intel and AMD manuals.
#[cfg(target_arch = "x86_64")]
const NEEDED: CpuFeatures = {
    macro_rules! needed {
        ($($feature:literal: $bit:literal),*) => {
            0u32 $(| (cfg!(target_feature = $feature) as u32) << $bit)*
        };
    }
    // macOS saves the registers of AVX-512 only for threads that have used them.
    let wide = cfg!(all(target_feature = "avx512f", not(target_vendor = "apple")));
    CpuFeatures {
        leaf_1_ecx: needed!(
            "sse3": 0, "pclmulqdq": 1, "ssse3": 9, "fma": 12, "cmpxchg16b": 13, "sse4.1": 19, "sse4.2": 20,
            "movbe": 22, "popcnt": 23, "aes": 25, "avx": 27, "avx": 28, "f16c": 29, "rdrand": 30
        ),
        leaf_7_ebx: needed!(
            "bmi1": 3, "avx2": 5, "bmi2": 8, "avx512f": 16, "avx512dq": 17, "rdseed": 18, "adx": 19,
            "avx512ifma": 21, "avx512cd": 28, "sha": 29, "avx512bw": 30, "avx512vl": 31
        ),
        leaf_7_ecx: needed!(
            "avx512vbmi": 1, "avx512vbmi2": 6, "gfni": 8, "vaes": 9, "vpclmulqdq": 10, "avx512vnni": 11,
            "avx512bitalg": 12, "avx512vpopcntdq": 14
        ),
        extended_ecx: needed!("lzcnt": 5),
        // SSE and AVX; masks, upper halves and upper sixteen registers of AVX-512.
        xcr0: (needed!("avx": 1, "avx": 2)) | ((wide as u32) * 0b1110_0000),
    }
};

#[cfg(target_arch = "x86_64")]
impl CpuFeatures {
    /// Returns true if `self` has every bit of `needed`.
    #[inline(always)]
    fn suffice(self, needed: Self) -> bool {
        (needed.leaf_1_ecx & !self.leaf_1_ecx)
            | (needed.leaf_7_ebx & !self.leaf_7_ebx)
            | (needed.leaf_7_ecx & !self.leaf_7_ecx)
            | (needed.extended_ecx & !self.extended_ecx)
            | (needed.xcr0 & !self.xcr0)
            == 0
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(never)]
fn is_sufficient() -> bool {
    use std::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};

    // SAFETY: every processor of this architecture has CPUID; leaves beyond the largest are not read.
    let (basic, extended) = unsafe { (__cpuid(0).eax, __cpuid(0x8000_0000).eax) };
    // SAFETY: as above.
    let leaf_1_ecx = if basic >= 1 { unsafe { __cpuid(1).ecx } } else { 0 };
    let (leaf_7_ebx, leaf_7_ecx) = if basic >= 7 {
        // SAFETY: as above.
        let leaf = unsafe { __cpuid_count(7, 0) };
        (leaf.ebx, leaf.ecx)
    } else {
        (0, 0)
    };
    // SAFETY: as above.
    let extended_ecx = if extended >= 0x8000_0001 { unsafe { __cpuid(0x8000_0001).ecx } } else { 0 };
    // The processor may have AVX where the system, or a virtual machine, does not save its registers.
    let xcr0 = if leaf_1_ecx & OSXSAVE == 0 {
        0
    } else {
        // SAFETY: the bit says that the instruction is enabled.
        unsafe { _xgetbv(0) as u32 }
    };
    CpuFeatures { leaf_1_ecx, leaf_7_ebx, leaf_7_ecx, extended_ecx, xcr0 }.suffice(NEEDED)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_machine_that_runs_the_tests_is_sufficient() {
        assert!(super::is_sufficient());
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn registers_that_the_system_does_not_save_are_missing() {
        use super::{CpuFeatures, NEEDED, OSXSAVE};
        const AVX: u32 = 1 << 28;
        let features = |xcr0| CpuFeatures {
            leaf_1_ecx: OSXSAVE | AVX,
            leaf_7_ebx: 0,
            leaf_7_ecx: 0,
            extended_ecx: 0,
            xcr0,
        };
        let (avx, wide) = (features(0b110), features(0b1110_0110));
        // Bit 0 stands for the x87 registers and is always set.
        for (xcr0, has_avx, has_wide) in
            [(1, false, false), (0b11, false, false), (0b111, true, false), (0b1110_0111, true, true)]
        {
            assert_eq!(features(xcr0).suffice(avx), has_avx, "{xcr0:b}");
            assert_eq!(features(xcr0).suffice(wide), has_wide, "{xcr0:b}");
        }
        assert!(!CpuFeatures { leaf_1_ecx: OSXSAVE, ..wide }.suffice(avx), "the processor lacks AVX");
        if cfg!(target_feature = "avx") {
            assert_eq!((NEEDED.leaf_1_ecx & (OSXSAVE | AVX), NEEDED.xcr0 & 0b110), (OSXSAVE | AVX, 0b110));
        }
    }
}

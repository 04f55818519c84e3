//! Zstandard frames. The C library packs and unpacks them. Where no C is linked, a decoder in Rust unpacks
//! them, and nothing can be packed.

use std::io;

/// Returns the length of the longest frame for `length` bytes: `ZSTD_compressBound`.
pub(crate) const fn longest_packed(length: usize) -> usize {
    const SMALL: usize = 128 << 10;
    length + (length >> 8) + if length < SMALL { (SMALL - length) >> 11 } else { 0 }
}

/// Unpacks a frame into `raw` and returns the number of bytes.
///
/// # Errors
/// If it is damaged, or has more bytes.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn unpack(packed: &[u8], raw: &mut [u8]) -> io::Result<usize> {
    zstd::bulk::decompress_to_buffer(packed, raw)
}

/// Unpacks a frame into `raw` and returns the number of bytes.
///
/// # Errors
/// If it is damaged, or has more bytes.
#[cfg(target_arch = "wasm32")]
pub(crate) fn unpack(packed: &[u8], raw: &mut [u8]) -> io::Result<usize> {
    let mut decoder = ruzstd::decoding::FrameDecoder::new();
    decoder.decode_all(packed, raw).map_err(|why| io::Error::new(io::ErrorKind::InvalidData, why.to_string()))
}

/// Unpacks at most `most` bytes of a frame. A few packed bytes can stand for any number of plain ones.
///
/// # Errors
/// If it is damaged.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn unpack_start(packed: &[u8], most: usize) -> io::Result<Vec<u8>> {
    use std::io::Read as _;
    // At once is faster than as a stream, but fails for a frame of more bytes.
    if let Ok(plain) = zstd::bulk::decompress(packed, most) {
        return Ok(plain);
    }
    let mut plain = Vec::with_capacity(most);
    zstd::Decoder::new(packed)?.take(most as u64).read_to_end(&mut plain)?;
    Ok(plain)
}

/// Unpacks at most `most` bytes of a frame. A few packed bytes can stand for any number of plain ones.
///
/// # Errors
/// If it is damaged.
#[cfg(target_arch = "wasm32")]
pub(crate) fn unpack_start(packed: &[u8], most: usize) -> io::Result<Vec<u8>> {
    use std::io::Read as _;
    let damaged = |why: String| io::Error::new(io::ErrorKind::InvalidData, why);
    let decoder = ruzstd::decoding::StreamingDecoder::new(packed).map_err(|why| damaged(why.to_string()))?;
    let mut plain = Vec::with_capacity(most);
    decoder.take(most as u64).read_to_end(&mut plain)?;
    Ok(plain)
}

/// Packs any number of bytes into one frame.
///
/// # Errors
/// If the memory is not available.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn pack_stream(bytes: &[u8], level: i32) -> io::Result<Vec<u8>> {
    zstd::encode_all(bytes, level)
}

/// Fails: nothing is packed here.
///
/// # Errors
/// Always.
#[cfg(target_arch = "wasm32")]
pub(crate) fn pack_stream(_: &[u8], _: i32) -> io::Result<Vec<u8>> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Packs one block after the other.
pub(crate) struct Packer {
    #[cfg(not(target_arch = "wasm32"))]
    inner: zstd::bulk::Compressor<'static>,
}

impl Packer {
    /// Returns a packer.
    ///
    /// # Errors
    /// If the memory is not available, or nothing can be packed here.
    pub(crate) fn new(level: i32) -> io::Result<Self> {
        #[cfg(not(target_arch = "wasm32"))]
        return Ok(Self { inner: zstd::bulk::Compressor::new(level)? });
        #[cfg(target_arch = "wasm32")]
        return pack_stream(&[], level).map(|_| Self {});
    }

    /// Packs a block into one frame.
    ///
    /// # Errors
    /// If the memory is not available.
    pub(crate) fn pack(&mut self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        #[cfg(not(target_arch = "wasm32"))]
        return self.inner.compress(bytes);
        #[cfg(target_arch = "wasm32")]
        return pack_stream(bytes, 0);
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn the_longest_frame_is_that_of_the_library() {
        for length in [0, 1, 1000, 40_320, 131_071, 131_072, 1 << 20] {
            assert_eq!(longest_packed(length), zstd::zstd_safe::compress_bound(length), "{length}");
        }
    }

    #[test]
    fn a_frame_of_too_many_bytes_is_refused_or_cut() {
        let packed = Packer::new(3).and_then(|mut packer| packer.pack(&[7; 1000])).unwrap();
        assert_eq!(unpack(&packed, &mut [0; 1000]).unwrap(), 1000);
        assert!(unpack(&packed, &mut [0; 999]).is_err());
        assert_eq!(unpack_start(&packed, 10).unwrap(), [7; 10]);
    }
}

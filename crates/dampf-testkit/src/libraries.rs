//! The libraries that the programs under `models/libraries` are written for: Debian's packages of headers.

use std::path::Path;

/// A library, by the names of the programs over it.
#[derive(Debug)]
pub struct Library {
    /// How the names of its programs begin.
    pub prefix: &'static str,
    /// A header that is there if the library is.
    pub header: &'static str,
    pub package: &'static str,
}

const LIBRARIES: [Library; 7] = [
    Library { prefix: "aq_", header: "/usr/include/atomic_queue/atomic_queue.h", package: "libatomic-queue-dev" },
    Library { prefix: "boost_", header: "/usr/include/boost/lockfree/queue.hpp", package: "libboost-dev" },
    Library { prefix: "cds_", header: "/usr/include/cds/version.h", package: "libcds-dev" },
    Library { prefix: "ck_", header: "/usr/include/ck_ring.h", package: "libck-dev" },
    Library {
        prefix: "cq_",
        header: "/usr/include/concurrentqueue/concurrentqueue.h",
        package: "libconcurrentqueue-dev",
    },
    Library {
        prefix: "rwq_",
        header: "/usr/include/readerwriterqueue/readerwriterqueue.h",
        package: "libreaderwriterqueue-dev",
    },
    Library { prefix: "urcu_", header: "/usr/include/x86_64-linux-gnu/urcu/wfcqueue.h", package: "liburcu-dev" },
];

/// The library that a program needs and that is not installed.
pub fn missing_for(program: &str) -> Option<&'static Library> {
    let needed = LIBRARIES.iter().find(|library| program.starts_with(library.prefix))?;
    (!Path::new(needed.header).exists()).then_some(needed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_library_is_always_there() {
        assert!(missing_for("std_latch.cc").is_none());
    }

    #[test]
    fn prefixes_tell_libraries_apart() {
        for library in &LIBRARIES {
            assert_eq!(LIBRARIES.iter().filter(|other| library.prefix.starts_with(other.prefix)).count(), 1);
        }
    }
}

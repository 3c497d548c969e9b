//! What a program finds around it: arguments, environment, standard input, files, processors. All of it is given before
//! the program begins and never changes.

use dampf_rv::image::Image;

/// How many processors there are unless somebody says otherwise.
pub const PROCESSORS: u32 = 2;
/// More cannot be told in the words that the system call is given at least.
pub const PROCESSORS_MAX: u32 = 64;

/// What asks libraries for OpenMP not to spin before they sleep: threads that spin make states without number.
const PASSIVE: [(&str, &str); 3] = [("GOMP_SPINCOUNT", "0"), ("OMP_WAIT_POLICY", "passive"), ("KMP_BLOCKTIME", "0")];

/// A file that can be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadableFile {
    /// As the program names it.
    pub path: String,
    pub contents: Vec<u8>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Surroundings {
    /// `argv`, the program's name first.
    pub arguments: Vec<String>,
    /// Each as `NAME=VALUE`.
    pub environment: Vec<String>,
    /// What standard input has; none where it is not to be read.
    pub stdin: Option<Vec<u8>>,
    pub files: Vec<ReadableFile>,
    pub processors: u32,
}

impl Surroundings {
    /// Nothing but arguments.
    pub fn of_arguments(arguments: Vec<String>) -> Surroundings {
        let (environment, files) = (Vec::new(), Vec::new());
        Surroundings { arguments, environment, stdin: None, files, processors: PROCESSORS }
    }

    /// Adds what libraries of the program are to be told, unless it was said otherwise.
    pub(crate) fn add_advice(&mut self, image: &Image) {
        let is_parallel = |name: &str| name.starts_with("GOMP_parallel") || name.starts_with("__kmpc_fork");
        if !image.symbols().iter().any(|symbol| is_parallel(&symbol.name)) {
            return;
        }
        for (name, value) in PASSIVE {
            let is_given = |text: &String| text.strip_prefix(name).is_some_and(|rest| rest.starts_with('='));
            if !self.environment.iter().any(is_given) {
                self.environment.push(format!("{name}={value}"));
            }
        }
    }

    /// The number of the file that a path names.
    pub fn file_named(&self, path: &str) -> Option<u32> {
        let plain = |path: &str| path.trim_start_matches("./").to_owned();
        self.files.iter().position(|file| plain(&file.path) == plain(path)).map(|file| file as u32)
    }

    /// The number of standard input among the files.
    pub fn stdin_number(&self) -> u32 {
        self.files.len() as u32
    }

    /// What a file holds.
    pub fn contents(&self, file: u32) -> &[u8] {
        let stdin = self.stdin.as_deref().unwrap_or_default();
        self.files.get(file as usize).map_or(stdin, |file| &file.contents)
    }
}

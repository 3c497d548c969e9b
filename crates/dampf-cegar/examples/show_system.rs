//! Prints the system of an input, and how long it took to read.
use dampf_core::Source;
fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).expect("the input can be read");
        let start = std::time::Instant::now();
        match dampf_cegar::input::Language::of(path.as_ref()).unwrap().parse(&Source::new(path.clone(), text)) {
            Ok(input) => {
                let original = input.system;

                let simplified = dampf_cegar::simplify::simplified(&original);
                let system = if std::env::var_os("PLAIN").is_some() { original.clone() } else { simplified.system };
                if let Some(folder) = std::env::var_os("WRITE") {
                    let name = path.replace('/', "_");
                    std::fs::write(std::path::Path::new(&folder).join(name), dampf_cegar::input::horn::write(&system))
                        .unwrap();
                }
                if std::env::var_os("QUIET").is_none() {
                    print!("{}", dampf_cegar::input::show::system(&system));
                }
                println!(
                    "{path}: {} locations {} transitions {:.2}s",
                    system.locations.len(),
                    system.transitions.len(),
                    start.elapsed().as_secs_f64()
                );
            }
            Err(errors) => println!("{}", errors[0]),
        }
    }
}

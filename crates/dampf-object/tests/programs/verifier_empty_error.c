// expect: assertion
// That a function does nothing is no reason not to call it.
void reach_error(void) {}

int main(int count, char **arguments) {
    (void)arguments;
    if (count == 1) reach_error(); // fault: assertion
    return 0;
}

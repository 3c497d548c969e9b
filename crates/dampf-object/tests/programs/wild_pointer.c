// expect: invalid-access
// An address that nobody gave out.
int main(void) {
    int *volatile pointer = (int *)0x123456789000;
    return *pointer; // fault: invalid-access
}

// expect: invalid-access
// String literals cannot be written to.
int main(void) {
    char *volatile text = (char *)"constant";
    text[0] = 'C'; // fault: invalid-access
    return 0;
}

// expect: undefined-behaviour
// An array without any room.
int main(void) {
    volatile int length = 0;
    int numbers[length]; // fault: undefined-behaviour
    volatile int *at = numbers;
    return at == 0;
}

/* What the machine is timed with: loops, loads and stores, branches, calls, some floating point. */

static unsigned char composite[1 << 16];
static long values[1 << 12];
static double matrix[3][24][24];

static __attribute__((noinline)) long sieve(void) {
    long count = 0;
    for (long i = 0; i < sizeof composite; i++) composite[i] = 0;
    for (long i = 2; i < sizeof composite; i++) {
        if (composite[i]) continue;
        count++;
        for (long j = 2 * i; j < sizeof composite; j += i) composite[j] = 1;
    }
    return count;
}

static __attribute__((noinline)) long fibonacci(long n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

static __attribute__((noinline)) long sort(unsigned long seed) {
    const long length = sizeof values / sizeof *values;
    for (long i = 0; i < length; i++) values[i] = (seed = seed * 6364136223846793005u + 1442695040888963407u) >> 20;
    for (long gap = length / 2; gap > 0; gap /= 2)
        for (long i = gap; i < length; i++) {
            long value = values[i], j = i;
            for (; j >= gap && values[j - gap] > value; j -= gap) values[j] = values[j - gap];
            values[j] = value;
        }
    return values[length / 2];
}

static __attribute__((noinline)) double multiply(void) {
    for (int i = 0; i < 24; i++)
        for (int j = 0; j < 24; j++) matrix[0][i][j] = i / 3.0, matrix[1][i][j] = j / 7.0;
    for (int i = 0; i < 24; i++)
        for (int j = 0; j < 24; j++) {
            double sum = 0;
            for (int k = 0; k < 24; k++) sum += matrix[0][i][k] * matrix[1][k][j];
            matrix[2][i][j] = sum;
        }
    return matrix[2][5][7];
}

/* The linker puts this section before all others, so the image starts with the entry. */
__attribute__((section(".text.unlikely.entry"))) long work(long kind, long rounds) {
    long total = 0;
    for (long i = 0; i < rounds; i++) {
        if (kind == 0) total += sieve();
        if (kind == 1) total += fibonacci(20);
        if (kind == 2) total += sort(i);
        if (kind == 3) total += (long)multiply();
    }
    return total;
}

// Checksums: CRC-32, Adler-32 and SHA-256.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t crc(const char *text) {
    uint32_t crc = ~0u;
    while (*text) {
        crc ^= (unsigned char)*text++;
        for (int i = 0; i < 8; i++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

static uint32_t adler(const char *text) {
    uint32_t a = 1, b = 0;
    while (*text) {
        a = (a + (unsigned char)*text++) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

static uint32_t turn(uint32_t x, int by) {
    return x >> by | x << (32 - by);
}

/* The fractional parts of roots of primes, which the algorithm takes its constants from. */
static uint32_t fraction(unsigned prime, int cube) {
    long double root = 1;
    for (int i = 0; i < 60; i++) root = cube ? (2 * root + prime / (root * root)) / 3 : (root + prime / root) / 2;
    return (uint32_t)((root - (long double)(long)root) * 4294967296.0L);
}

static void sha256(const char *text) {
    uint32_t k[64], h[8], w[64];
    int found = 0;
    for (unsigned n = 2; found < 64; n++) {
        int prime = 1;
        for (unsigned d = 2; d * d <= n; d++) prime &= n % d != 0;
        if (!prime) continue;
        k[found] = fraction(n, 1);
        if (found < 8) h[found] = fraction(n, 0);
        found++;
    }
    unsigned char block[64] = {0};
    size_t length = strlen(text);
    memcpy(block, text, length);
    block[length] = 0x80;
    block[62] = (unsigned char)(length * 8 >> 8);
    block[63] = (unsigned char)(length * 8);
    for (int i = 0; i < 16; i++) w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t s0 = turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3, s1 = turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    uint32_t v[8];
    memcpy(v, h, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t s1 = turn(v[4], 6) ^ turn(v[4], 11) ^ turn(v[4], 25), choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t first = v[7] + s1 + choice + k[i] + w[i];
        uint32_t s0 = turn(v[0], 2) ^ turn(v[0], 13) ^ turn(v[0], 22), majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += first;
        v[0] = first + s0 + majority;
    }
    for (int i = 0; i < 8; i++) printf("%08x", h[i] + v[i]);
    putchar('\n');
}

int main(void) {
    printf("%08x %08x\n", crc("123456789"), adler("Wikipedia"));
    sha256("");
    sha256("abc");
    return crc("123456789") == 0xcbf43926u ? 9 : 1;
}

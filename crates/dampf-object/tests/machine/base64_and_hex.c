// Encodings of bytes as text, there and back.
#include <stdio.h>
#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void encode(const unsigned char *bytes, size_t length, char *text) {
    for (size_t i = 0; i < length; i += 3) {
        unsigned long group = (unsigned long)bytes[i] << 16 | (i + 1 < length ? bytes[i + 1] << 8 : 0) | (i + 2 < length ? bytes[i + 2] : 0);
        *text++ = digits[group >> 18 & 63];
        *text++ = digits[group >> 12 & 63];
        *text++ = i + 1 < length ? digits[group >> 6 & 63] : '=';
        *text++ = i + 2 < length ? digits[group & 63] : '=';
    }
    *text = '\0';
}

static size_t decode(const char *text, unsigned char *bytes) {
    size_t length = 0;
    unsigned long group = 0;
    int bits = 0;
    for (; *text && *text != '='; text++) {
        group = group << 6 | (unsigned long)(strchr(digits, *text) - digits);
        bits += 6;
        if (bits >= 8) bytes[length++] = (unsigned char)(group >> (bits -= 8));
    }
    return length;
}

int main(void) {
    char text[64];
    unsigned char bytes[48], back[48];
    size_t total = 0;
    for (size_t length = 0; length < 40; length++) {
        for (size_t i = 0; i < length; i++) bytes[i] = (unsigned char)(i * 37 + length);
        encode(bytes, length, text);
        size_t decoded = decode(text, back);
        printf("%s %d\n", text, decoded == length && memcmp(bytes, back, length) == 0);
        total += strlen(text);
    }
    return (int)(total & 127);
}

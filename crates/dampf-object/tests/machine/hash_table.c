// A hash table with open addressing.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define SLOTS 256

static struct {
    char key[12];
    int value;
} table[SLOTS];

static unsigned hash(const char *text) {
    uint32_t hash = 2166136261u;
    while (*text) hash = (hash ^ (unsigned char)*text++) * 16777619u;
    return hash;
}

static int *slot(const char *key) {
    unsigned at = hash(key) % SLOTS;
    while (table[at].key[0] && strcmp(table[at].key, key) != 0) at = (at + 1) % SLOTS;
    if (!table[at].key[0]) strcpy(table[at].key, key);
    return &table[at].value;
}

int main(void) {
    char key[12];
    int used = 0;
    for (int i = 0; i < 1000; i++) {
        snprintf(key, sizeof key, "k%d", i * 7 % 150);
        *slot(key) += i;
    }
    for (int i = 0; i < SLOTS; i++) {
        if (table[i].key[0]) {
            used++;
            if (i % 8 == 0) printf("%d %s %d\n", i, table[i].key, table[i].value);
        }
    }
    printf("%d\n", used);
    return used;
}

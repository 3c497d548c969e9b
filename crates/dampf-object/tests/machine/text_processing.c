// Words of a text, counted and sorted.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char text[] = "the quick brown fox jumps over the lazy dog; the dog sleeps, and the fox jumps again over the quick dog.";

struct entry {
    char word[16];
    int count;
};

static int more(const void *left, const void *right) {
    const struct entry *a = left, *b = right;
    return a->count != b->count ? b->count - a->count : strcmp(a->word, b->word);
}

int main(void) {
    struct entry entries[32];
    int used = 0;
    for (const char *at = text; *at;) {
        char word[16];
        int length = 0;
        while (*at && !isalpha((unsigned char)*at)) at++;
        while (isalpha((unsigned char)*at) && length < 15) word[length++] = *at++;
        word[length] = '\0';
        if (length == 0) break;
        int i = 0;
        while (i < used && strcmp(entries[i].word, word) != 0) i++;
        if (i == used) {
            strcpy(entries[used].word, word);
            entries[used++].count = 0;
        }
        entries[i].count++;
    }
    qsort(entries, (size_t)used, sizeof *entries, more);
    for (int i = 0; i < used; i++) printf("%s %d\n", entries[i].word, entries[i].count);
    return used;
}

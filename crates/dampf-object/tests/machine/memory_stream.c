// Streams in memory.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *text = NULL, line[32];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (int i = 0; i < 5; i++) fprintf(out, "line %d\n", i * i);
    fclose(out);
    printf("%zu\n%s", size, text);
    FILE *in = fmemopen(text, size, "r");
    int lines = 0, number, sum = 0;
    while (fgets(line, sizeof line, in)) {
        lines++;
        if (sscanf(line, "line %d", &number) == 1) sum += number;
    }
    rewind(in);
    int first = fgetc(in);
    ungetc('L', in);
    fseek(in, 5, SEEK_CUR);
    printf("%d %c %c %ld\n", lines, first, fgetc(in), ftell(in));
    fclose(in);
    free(text);
    return sum;
}

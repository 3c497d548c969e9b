// The string functions.
#include <stdio.h>
#include <string.h>

int main(void) {
    char buffer[64] = "alpha", text[] = "one,two;;three";
    strcat(buffer, "-");
    strncat(buffer, "betagamma", 4);
    printf("%s %zu\n", buffer, strlen(buffer));
    printf("%d %d %d\n", strcmp("a", "b") < 0, strncmp("abcd", "abxx", 2), strcasecmp("HeLLo", "hEllO"));
    printf("%s %s %s\n", strchr(buffer, 'p'), strrchr(buffer, 'a'), strstr(buffer, "bet"));
    printf("%zu %zu %s\n", strspn("aabbc", "ab"), strcspn("hello", "l"), strpbrk("hello", "ol"));
    char *rest;
    for (char *part = strtok_r(text, ",;", &rest); part; part = strtok_r(NULL, ",;", &rest)) printf("[%s]", part);
    putchar('\n');
    memset(buffer, 'x', 5);
    memmove(buffer + 2, buffer, 8);
    printf("%.12s %d\n", buffer, memcmp("abc", "abd", 3) < 0);
    printf("%s %td\n", (char *)memchr("find me", 'm', 7), stpcpy(buffer, "end") - buffer);
    strncpy(buffer, "padded", 10);
    int zeros = 0;
    for (int i = 0; i < 10; i++) zeros += buffer[i] == 0;
    return zeros;
}

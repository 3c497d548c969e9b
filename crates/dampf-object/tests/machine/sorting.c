// qsort and bsearch.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct person {
    char name[8];
    int age;
};

static int by_age(const void *left, const void *right) {
    const struct person *a = left, *b = right;
    return a->age != b->age ? (a->age > b->age) - (a->age < b->age) : strcmp(a->name, b->name);
}

int main(void) {
    struct person people[50];
    unsigned state = 1;
    for (int i = 0; i < 50; i++) {
        state = state * 1664525 + 1013904223;
        snprintf(people[i].name, sizeof people[i].name, "p%02u", (unsigned char)i);
        people[i].age = (int)(state >> 24) % 20;
    }
    qsort(people, 50, sizeof *people, by_age);
    for (int i = 0; i < 50; i++) printf("%s:%d ", people[i].name, people[i].age);
    putchar('\n');
    struct person key = people[31], *found = bsearch(&key, people, 50, sizeof *people, by_age);
    key.age = 100;
    printf("%td %d\n", found - people, bsearch(&key, people, 50, sizeof *people, by_age) == NULL);
    return (int)(found - people);
}

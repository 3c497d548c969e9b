// The library's trees, lists and hash tables.
#define _GNU_SOURCE
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int count;

static int compare(const void *left, const void *right) {
    return *(const int *)left - *(const int *)right;
}

static void visit(const void *node, VISIT which, int depth) {
    (void)depth;
    if (which == postorder || which == leaf) {
        printf("%d ", **(int *const *)node);
        count++;
    }
}

static void keep(void *node) {
    (void)node;
}

int main(void) {
    static int numbers[] = {50, 20, 80, 10, 30, 70, 90, 25, 20};
    void *root = NULL;
    for (int i = 0; i < 9; i++) tsearch(&numbers[i], &root, compare);
    tdelete(&numbers[2], &root, compare);
    twalk(root, visit);
    printf("\n%d %d\n", tfind(&numbers[7], &root, compare) != NULL, tfind(&numbers[2], &root, compare) == NULL);
    tdestroy(root, keep);
    hcreate(10);
    char names[3][4] = {"one", "two", "six"};
    for (int i = 0; i < 3; i++) hsearch((ENTRY){names[i], names[2 - i]}, ENTER);
    ENTRY *found = hsearch((ENTRY){names[0], NULL}, FIND);
    printf("%s\n", found ? (char *)found->data : "none");
    hdestroy();
    return count;
}

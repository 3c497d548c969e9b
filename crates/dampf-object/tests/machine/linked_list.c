// A list that is built, reversed and taken apart.
#include <stdio.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static struct node *push(struct node *list, int value) {
    struct node *node = malloc(sizeof *node);
    *node = (struct node){value, list};
    return node;
}

static struct node *reverse(struct node *list) {
    struct node *reversed = NULL;
    while (list) {
        struct node *next = list->next;
        list->next = reversed;
        reversed = list;
        list = next;
    }
    return reversed;
}

int main(void) {
    struct node *list = NULL;
    int sum = 0;
    for (int i = 0; i < 20; i++) list = push(list, i * i);
    list = reverse(list);
    while (list) {
        struct node *next = list->next;
        printf("%d ", list->value);
        sum += list->value;
        free(list);
        list = next;
    }
    printf("\n%d\n", sum);
    return sum % 256;
}

// Semaphores make a pipeline of three threads.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t full[2], empty[2];
static int slot[2];

static void *square(void *none) {
    for (int i = 0; i < 10; i++) {
        sem_wait(&full[0]);
        int number = slot[0];
        sem_post(&empty[0]);
        sem_wait(&empty[1]);
        slot[1] = number * number;
        sem_post(&full[1]);
    }
    return none;
}

static void *produce(void *none) {
    for (int i = 0; i < 10; i++) {
        sem_wait(&empty[0]);
        slot[0] = i;
        sem_post(&full[0]);
    }
    return none;
}

int main(void) {
    pthread_t first, second;
    int sum = 0;
    for (int i = 0; i < 2; i++) {
        sem_init(&full[i], 0, 0);
        sem_init(&empty[i], 0, 1);
    }
    pthread_create(&first, NULL, produce, NULL);
    pthread_create(&second, NULL, square, NULL);
    for (int i = 0; i < 10; i++) {
        sem_wait(&full[1]);
        printf("%d ", slot[1]);
        sum += slot[1];
        sem_post(&empty[1]);
    }
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    printf("\n");
    return sum % 256;
}

// expect: assertion
// Each access is protected, the decision is not: no data race, and wrong all the same.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int balance = 1;

static int read_balance(void) {
    pthread_mutex_lock(&mutex);
    int value = balance;
    pthread_mutex_unlock(&mutex);
    return value;
}

static void *withdraw(void *none) {
    if (read_balance() > 0) {
        pthread_mutex_lock(&mutex);
        balance--;
        assert(balance >= 0); // fault: assertion
        pthread_mutex_unlock(&mutex);
    }
    return none;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, withdraw, NULL);
    pthread_create(&second, NULL, withdraw, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}

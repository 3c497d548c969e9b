// expect: verified options: --file input.txt
// expect: verified flags: -DPRIVATE options: --file input.txt
// expect: assertion flags: -DTHREADS options: --file input.txt
// expect: unknown flags: -DOTHER options: --file input.txt
// expect: unknown
// A file that the program was given is opened, read and closed; how far it was read is common to threads.
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void *read_two(void *argument) {
    char bytes[2];
    assert(read(*(int *)argument, bytes, 2) == 2);
    // Another thread may have read the first two bytes.
    assert(bytes[0] == '2' && bytes[1] == '0'); // fault: assertion
    return NULL;
}

int main(void) {
    struct stat status;
    assert(stat("./input.txt", &status) == 0 && status.st_size == 23 && access("input.txt", R_OK) == 0);
    FILE *stream = fopen("input.txt", "r");
    int one;
    char word[16];
    assert(stream && fscanf(stream, "%d", &one) == 1 && one == 20);
    assert(fseek(stream, -6, SEEK_END) == 0 && fscanf(stream, "%15s", word) == 1 && strcmp(word, "line.") == 0);
    rewind(stream);
    assert(fgetc(stream) == '2');
    fclose(stream);

    int file = open("input.txt", O_RDONLY);
    assert(file == 3);
    char bytes[64];
    assert(lseek(file, -4, SEEK_END) == 19 && read(file, bytes, sizeof bytes) == 4 && read(file, bytes, 1) == 0);
    assert(lseek(file, 2, SEEK_SET) == 2 && lseek(file, 1, SEEK_CUR) == 3 && lseek(file, -9, SEEK_CUR) == -1);
    assert(open("input.txt", O_RDWR) == -1 && errno == EACCES);
    int second = open("input.txt", O_RDONLY);
    assert(second == 4);
    assert(close(file) == 0 && read(file, bytes, 1) == -1 && errno == EBADF);
#if defined THREADS || defined PRIVATE
    pthread_t threads[2];
    int files[2] = {second, open("input.txt", O_RDONLY)};
    assert(files[1] == 3);
#ifdef THREADS
    files[1] = second;
#endif
    for (int number = 0; number < 2; ++number) {
        pthread_create(&threads[number], NULL, read_two, &files[number]);
    }
    for (int number = 0; number < 2; ++number) {
        pthread_join(threads[number], NULL);
    }
#endif
#ifdef OTHER
    return open("other.txt", O_RDONLY) != -1;
#endif
    return 0;
}

// Products and inverses of matrices.
#include <stdio.h>

#define N 6

static void multiply(double a[N][N], double b[N][N], double product[N][N]) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            product[i][j] = 0;
            for (int k = 0; k < N; k++) product[i][j] += a[i][k] * b[k][j];
        }
}

static void invert(double a[N][N], double inverse[N][N]) {
    double work[N][2 * N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < 2 * N; j++) work[i][j] = j < N ? a[i][j] : j - N == i;
    for (int i = 0; i < N; i++) {
        double pivot = work[i][i];
        for (int j = 0; j < 2 * N; j++) work[i][j] /= pivot;
        for (int k = 0; k < N; k++) {
            double factor = work[k][i];
            if (k != i)
                for (int j = 0; j < 2 * N; j++) work[k][j] -= factor * work[i][j];
        }
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) inverse[i][j] = work[i][j + N];
}

int main(void) {
    double a[N][N], inverse[N][N], product[N][N], trace = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) a[i][j] = 1.0 / (i + j + 1) + (i == j);
    invert(a, inverse);
    multiply(a, inverse, product);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) printf("%9.5f %5.2f ", inverse[i][j], product[i][j] + 0.0001);
        putchar('\n');
        trace += inverse[i][i];
    }
    return (int)trace;
}

// A matrix class with expression templates.
#include <cmath>
#include <iomanip>
#include <iostream>
#include <vector>

class Matrix {
public:
    Matrix(std::size_t rows, std::size_t columns) : rows(rows), columns(columns), values(rows * columns) {}
    double &operator()(std::size_t i, std::size_t j) { return values[i * columns + j]; }
    double operator()(std::size_t i, std::size_t j) const { return values[i * columns + j]; }
    friend Matrix operator*(const Matrix &a, const Matrix &b) {
        Matrix product(a.rows, b.columns);
        for (std::size_t i = 0; i < a.rows; i++)
            for (std::size_t j = 0; j < b.columns; j++)
                for (std::size_t k = 0; k < a.columns; k++) product(i, j) += a(i, k) * b(k, j);
        return product;
    }
    double determinant() const {
        Matrix work = *this;
        double result = 1;
        for (std::size_t i = 0; i < rows; i++) {
            std::size_t pivot = i;
            for (std::size_t k = i + 1; k < rows; k++)
                if (std::fabs(work(k, i)) > std::fabs(work(pivot, i))) pivot = k;
            if (pivot != i) {
                for (std::size_t j = 0; j < columns; j++) std::swap(work(i, j), work(pivot, j));
                result = -result;
            }
            result *= work(i, i);
            for (std::size_t k = i + 1; k < rows; k++) {
                double factor = work(k, i) / work(i, i);
                for (std::size_t j = i; j < columns; j++) work(k, j) -= factor * work(i, j);
            }
        }
        return result;
    }
    std::size_t rows, columns;

private:
    std::vector<double> values;
};

int main() {
    Matrix matrix(5, 5);
    for (std::size_t i = 0; i < 5; i++)
        for (std::size_t j = 0; j < 5; j++) matrix(i, j) = static_cast<double>((i * 7 + j * 3) % 11) - 4;
    Matrix square = matrix * matrix;
    std::cout << std::fixed << std::setprecision(3) << matrix.determinant() << ' ' << square.determinant() << '\n';
    for (std::size_t i = 0; i < 5; i++) std::cout << square(i, i) << ' ';
    std::cout << '\n';
    return static_cast<int>(square.rows);
}

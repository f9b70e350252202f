#include <vector>

namespace math::linear {

class Matrix : public Base {
public:
    Matrix(int size) : size_(size) {}
    virtual ~Matrix();
    int at(int row, int column) const;
    Matrix operator+(const Matrix &other) {
        for (auto value : other.values_) { } // for
        return *this;
    }
private:
    int size_;
};

template <typename T>
T clamp(T value) {
    auto small = [](T one) { return one < 0 || one > 9; }; // ||, of the lambda
    try {
        return small(value) ? 0 : value; // conditional
    } catch (...) { // catch
        throw;
    }
}

}  // namespace math::linear

int math::linear::Matrix::at(int row, int column) const {
    if (row and column) { // if, and
        return 1;
    }
    return 0;
}

enum class Side { Left, Right };

using Index = int;

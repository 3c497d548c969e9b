#pragma once

struct Shape {
    int color = 7;
    virtual int area() { return 0; }
    virtual ~Shape() {}
};

// Its first virtual function is defined in the other file.
struct Square : Shape {
    int side = 4;
    int area() override;
};

int second(int number);

#include "../make/main.cpp"

#pragma once
void axpy(int count, float factor, const float *x, float *y);
float dot(int count, const float *x, const float *y);

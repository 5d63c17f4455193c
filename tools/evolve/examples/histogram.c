/* histogram.c - counts values from 0 to 255; *done tells a watcher what percentage is counted */
void histogram(int n, const unsigned char *value, int *counts, int *done)
{
    for (int i = 0; i < n; i++) {
        counts[value[i]]++;
        *done = 100 * i / n;
    }
    *done = 100;
}

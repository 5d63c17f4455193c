/* race.c - two threads that write one variable: what ThreadSanitizer has to find
   SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stddef.h>

static int shared;

static void *count(void *to)
{
    for (int i = 0; i < 1000; i++)
        shared++;
    return to;
}

int main(void)
{
    pthread_t other;
    if (pthread_create(&other, NULL, count, NULL) != 0)
        return 1;
    count(NULL);
    pthread_join(other, NULL);
    return shared == 0;
}

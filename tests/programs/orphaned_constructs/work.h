#ifndef WORK_H
#define WORK_H

extern int trail;

void in_order(int value);
void by_one(void);
void by_all(void);
void by_tasks(int tasks);

#endif

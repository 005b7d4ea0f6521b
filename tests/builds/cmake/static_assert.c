_Static_assert(sizeof(char) == 1, "a char is a char");
int main(void) { return 0; }

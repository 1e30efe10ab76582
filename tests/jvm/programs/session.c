/*
 * The life of Session.kt where there is no Java: loads the library into a process of musl and hands its exports a JNIEnv made by hand.
 * The arguments are the library, the directory of the server and the line. What it says and when it ends is as in Session.kt; what comes
 * out of the library goes to standard error.
 */

#include <dlfcn.h>
#include <jni.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The border that this program speaks, as NativeBridge.kt does: ARCHITECTURE.md, section 4. */
#define ABI_VERSION 2

/* How long one poll waits, and the end at most. */
#define POLL_MS 20
#define CLOSE_MS 3000

/* A byte[]; a jbyteArray points to one. */
struct array {
    jsize length;
    jbyte bytes[];
};

/* All that the library exports, each under its name on dev.auk.NativeBridge. */
struct library {
    jint (JNICALL *abi_version)(JNIEnv *, jclass);
    jlong (JNICALL *open)(JNIEnv *, jclass, jbyteArray);
    jint (JNICALL *submit)(JNIEnv *, jclass, jlong, jbyteArray);
    jbyteArray (JNICALL *poll)(JNIEnv *, jclass, jlong, jint);
    jbyteArray (JNICALL *status)(JNIEnv *, jclass, jlong);
    jint (JNICALL *reload)(JNIEnv *, jclass, jlong, jbyteArray);
    jint (JNICALL *begin_close)(JNIEnv *, jclass, jlong);
    jint (JNICALL *close)(JNIEnv *, jclass, jlong, jint);
};

static struct library library;
static JNIEnv env;
static JavaVM vm;

static void environment(void);
static void load(const char *file);
static void expect_musl(void);
static void expect(int holds, const char *what);
static jlong open_bridge(const char *server);
static void submit(jlong handle, const char *frame);
static void chat(jlong handle, const char *line);
static int next_is_end(jlong handle);
static int is_ready(jlong handle);

int main(int count, char **arguments) {
    expect(count == 4, "the arguments are the library, the directory of the server and the line");
    environment();
    load(arguments[1]);
    expect_musl();
    expect(library.abi_version(&env, NULL) == ABI_VERSION, "the library speaks the border of this program");
    jlong handle = open_bridge(arguments[2]);
    submit(handle, "{\"type\":\"server_started\"}");
    while (!is_ready(handle)) expect(!next_is_end(handle), "the bridge lives until it is closed");
    chat(handle, arguments[3]);
    puts("said");
    fflush(stdout);
    char answer[80];
    expect(fgets(answer, sizeof answer, stdin) != NULL, "whoever started this saw the post");
    submit(handle, "{\"type\":\"server_stopping\"}");
    expect(library.begin_close(&env, NULL, handle) == 0, "the bridge begins to close");
    while (!next_is_end(handle)) continue;
    expect(library.close(&env, NULL, handle, CLOSE_MS) == 0, "the bridge ended and is freed");
    expect(library.status(&env, NULL, handle) == NULL, "the handle is stale");
    puts("closed");
    return 0;
}

static void expect(int holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "this is not so: %s\n", what);
    exit(1);
}

/* ---- A JNIEnv: what the library calls of it, and for every other slot of its table a function that says which it is. */

static void refuse(const char *slot) {
    fprintf(stderr, "the library called slot %s of JNIEnv or JavaVM, which this program does not have\n", slot);
    abort();
}

#define TEN(each, tens) \
    each(tens##0) each(tens##1) each(tens##2) each(tens##3) each(tens##4) \
    each(tens##5) each(tens##6) each(tens##7) each(tens##8) each(tens##9)
#define HUNDRED(each, hundreds) \
    TEN(each, hundreds##0) TEN(each, hundreds##1) TEN(each, hundreds##2) TEN(each, hundreds##3) TEN(each, hundreds##4) \
    TEN(each, hundreds##5) TEN(each, hundreds##6) TEN(each, hundreds##7) TEN(each, hundreds##8) TEN(each, hundreds##9)
#define SLOTS(each) HUNDRED(each, 0) HUNDRED(each, 1) HUNDRED(each, 2)
#define FUNCTION(slot) static void slot_##slot(void) { refuse(#slot); }
#define NAME(slot) slot_##slot,

SLOTS(FUNCTION)
static void (*const REFUSING[])(void) = {SLOTS(NAME)};

static union {
    struct JNINativeInterface_ functions;
    void (*slots[sizeof(struct JNINativeInterface_) / sizeof(void *)])(void);
} of_env;

static union {
    struct JNIInvokeInterface_ functions;
    void (*slots[sizeof(struct JNIInvokeInterface_) / sizeof(void *)])(void);
} of_vm;

_Static_assert(sizeof of_env <= sizeof REFUSING, "every slot of JNIEnv has a function");

static jint JNICALL get_java_vm(JNIEnv *_env, JavaVM **to) {
    *to = &vm;
    return JNI_OK;
}

static jboolean JNICALL exception_check(JNIEnv *_env) { return JNI_FALSE; }

static jbyteArray JNICALL new_byte_array(JNIEnv *_env, jsize length) {
    struct array *array = malloc(sizeof *array + (size_t)length);
    expect(array != NULL, "there is memory");
    array->length = length;
    return (jbyteArray)array;
}

static jsize JNICALL get_array_length(JNIEnv *_env, jarray array) { return ((struct array *)array)->length; }

static void expect_region(jbyteArray array, jsize from, jsize length) {
    expect(from >= 0 && length >= 0 && from <= get_array_length(&env, array) - length, "the library stays within an array");
}

static void JNICALL get_byte_array_region(JNIEnv *_env, jbyteArray array, jsize from, jsize length, jbyte *to) {
    expect_region(array, from, length);
    memcpy(to, ((struct array *)array)->bytes + from, (size_t)length);
}

static void JNICALL set_byte_array_region(JNIEnv *_env, jbyteArray array, jsize from, jsize length, const jbyte *bytes) {
    expect_region(array, from, length);
    memcpy(((struct array *)array)->bytes + from, bytes, (size_t)length);
}

static void environment(void) {
    memcpy(of_env.slots, REFUSING, sizeof of_env);
    memcpy(of_vm.slots, REFUSING, sizeof of_vm);
    of_env.functions.GetJavaVM = get_java_vm;
    of_env.functions.ExceptionCheck = exception_check;
    of_env.functions.NewByteArray = new_byte_array;
    of_env.functions.GetArrayLength = get_array_length;
    of_env.functions.GetByteArrayRegion = get_byte_array_region;
    of_env.functions.SetByteArrayRegion = set_byte_array_region;
    env = &of_env.functions;
    vm = &of_vm.functions;
}

/* ---- The library. */

static void *symbol(void *loaded, const char *name) {
    char whole[80];
    snprintf(whole, sizeof whole, "Java_dev_auk_NativeBridge_%s", name);
    void *found = dlsym(loaded, whole);
    expect(found != NULL, whole);
    return found;
}

static void load(const char *file) {
    void *loaded = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (loaded == NULL) fprintf(stderr, "%s\n", dlerror());
    expect(loaded != NULL, "the library loads");
    *(void **)&library.abi_version = symbol(loaded, "abiVersion");
    *(void **)&library.open = symbol(loaded, "open");
    *(void **)&library.submit = symbol(loaded, "submit");
    *(void **)&library.poll = symbol(loaded, "poll");
    *(void **)&library.status = symbol(loaded, "status");
    *(void **)&library.reload = symbol(loaded, "reload");
    *(void **)&library.begin_close = symbol(loaded, "beginClose");
    *(void **)&library.close = symbol(loaded, "close");
}

/* This process has to have musl, and no glibc that the library could have found in its place. Debian calls musl's file libc.so. */
static void expect_musl(void) {
    FILE *maps = fopen("/proc/self/maps", "r");
    expect(maps != NULL, "/proc/self/maps can be read");
    int has_musl = 0, has_glibc = 0;
    char line[4096];
    while (fgets(line, sizeof line, maps) != NULL) {
        has_musl |= strstr(line, "/ld-musl-") != NULL || strstr(line, "/libc.musl-") != NULL;
        has_musl |= strstr(line, "-linux-musl/libc.so\n") != NULL;
        has_glibc |= strstr(line, "/libc.so.6") != NULL;
    }
    fclose(maps);
    expect(has_musl && !has_glibc, "this process has musl and no glibc");
}

/* ---- The calls, with texts in the place of arrays. */

static jbyteArray array_of(const char *text) {
    jsize length = (jsize)strlen(text);
    jbyteArray array = new_byte_array(&env, length);
    set_byte_array_region(&env, array, 0, length, (const jbyte *)text);
    return array;
}

/* Takes the array; the text is the caller's. */
static char *text_of(jbyteArray array) {
    if (array == NULL) return NULL;
    jsize length = get_array_length(&env, array);
    char *text = calloc((size_t)length + 1, 1);
    expect(text != NULL, "there is memory");
    get_byte_array_region(&env, array, 0, length, (jbyte *)text);
    free(array);
    return text;
}

/* A text within JSON. The line is ASCII, and so is all that these escapes concern. */
static void escape(char *to, size_t size, const char *text) {
    size_t at = 0;
    for (; *text != '\0'; text++) {
        expect(at + 7 < size, "an argument is not that long");
        if (*text == '"' || *text == '\\' || (unsigned char)*text < ' ') at += (size_t)sprintf(to + at, "\\u%04x", (unsigned)*text);
        else to[at++] = *text;
    }
    to[at] = '\0';
}

static jlong open_bridge(const char *server) {
    char escaped[4096], options[5000];
    escape(escaped, sizeof escaped, server);
    const char *form = "{\"config_dir\":\"%s/config/auk\",\"shim\":\"0\",\"platform\":\"musl\",\"minecraft\":\"none\"}";
    snprintf(options, sizeof options, form, escaped);
    jbyteArray array = array_of(options);
    jlong handle = library.open(&env, NULL, array);
    free(array);
    expect(handle > 0, "the bridge opens");
    return handle;
}

static void submit(jlong handle, const char *frame) {
    jbyteArray array = array_of(frame);
    expect(library.submit(&env, NULL, handle, array) == 0, frame);
    free(array);
}

static void chat(jlong handle, const char *line) {
    char escaped[4096], frame[5000];
    escape(escaped, sizeof escaped, line);
    const char *player = "{\"name\":\"Steve\",\"uuid\":\"069a79f4-44e9-4726-a5be-fca90e38aaf5\"}";
    snprintf(frame, sizeof frame, "{\"type\":\"chat\",\"player\":%s,\"text\":\"%s 海雀 😀\"}", player, escaped);
    submit(handle, frame);
}

/* Whether the next frame, if one comes in time, is the last. */
static int next_is_end(jlong handle) {
    char *frame = text_of(library.poll(&env, NULL, handle, POLL_MS));
    if (frame == NULL) return 0;
    int is_end = strstr(frame, "\"type\":\"end\"") != NULL;
    fprintf(stderr, "%s\n", frame);
    free(frame);
    return is_end;
}

static int is_ready(jlong handle) {
    char *status = text_of(library.status(&env, NULL, handle));
    expect(status != NULL, "the bridge has a status");
    int is_ready = strstr(status, "\"state\":\"ready\"") != NULL;
    free(status);
    return is_ready;
}

//! The package `dev.auk.standin`, through which generated classes reach the test that plays the game.

use std::fmt::Write;

use crate::java;
use crate::model::Model;
use crate::stubs::Source;

const PACKAGE: &str = "dev/auk/standin";

/// The root class, the hooks and one class for each interface that a test may need an object of.
pub(crate) fn sources(model: &Model) -> Vec<Source> {
    let mut sources = vec![
        java::source(&format!("{PACKAGE}/Thing"), THING),
        java::source(&format!("{PACKAGE}/Game"), GAME),
        java::source(&format!("{PACKAGE}/Hooks"), &hooks(model)),
    ];
    for (_, name) in known(model) {
        if is_interface(model, name) {
            let simple = implementation_name(name);
            sources.push(java::source(&format!("{PACKAGE}/{simple}"), &java::implementation(model, name, &simple)));
        }
    }
    sources
}

/// The classes that have a readable name, with it.
fn known(model: &Model) -> impl Iterator<Item = (&str, &str)> {
    model.types().filter(|(name, _)| !name.starts_with("java/")).filter_map(|(name, class)| Some((class.readable.as_deref()?, name)))
}

fn is_interface(model: &Model, name: &str) -> bool {
    model.get(name).is_some_and(|class| class.shape.is_interface())
}

fn implementation_name(name: &str) -> String {
    name.replace(['/', '$'], "_")
}

fn hooks(model: &Model) -> String {
    let mut text = HOOKS.to_owned();
    for (readable, name) in known(model) {
        let made = if is_interface(model, name) { format!("{PACKAGE}/{}", implementation_name(name)) } else { name.to_owned() };
        let _ =
            writeln!(text, "        TYPES.put({readable:?}, new String[] {{{:?}, {:?}}});", name.replace('/', "."), made.replace('/', "."));
    }
    text + "    }\n\n" + &java::asking(model) + "}\n"
}

const THING: &str = r#"/** What every object of the generated game is. */
public class Thing {
    /** Whatever the test wants to remember of the object. */
    public final java.util.Map<String, Object> data = new java.util.HashMap<>();

    /** Sets the field with this readable name. */
    public void set(String what, Object value) {
        throw new AssertionError(getClass().getName() + " has no field " + what);
    }
}
"#;

const GAME: &str = r#"/** The test that plays the game; it knows readable names only. */
public interface Game {
    /** A method or constructor was called; {@code self} is null for a static one. */
    Object call(Object self, String what, Object[] arguments);

    /** A field gets its first value, null for none or zero; {@code self} is null for a static one. */
    Object field(Object self, String what);
}
"#;

const HOOKS: &str = r#"/** Between the generated classes and the test that plays the game. */
public final class Hooks {
    /** The test; set it before the first class of the game is used. */
    public static volatile Game game;

    private Hooks() {}

    /** An object of the class with this readable name, made without the game's own constructors. */
    public static Object create(String readable) {
        try {
            Class<?> type = Class.forName(names(readable)[1]);
            return type.isEnum() ? type.getEnumConstants()[0] : type.getConstructor().newInstance();
        } catch (ReflectiveOperationException impossible) {
            throw new AssertionError(readable, impossible);
        }
    }

    /** The class with this readable name. */
    public static Class<?> type(String readable) {
        try {
            return Class.forName(names(readable)[0]);
        } catch (ClassNotFoundException impossible) {
            throw new AssertionError(readable, impossible);
        }
    }

    /** Whether this version has the class with this readable name. */
    public static boolean has(String readable) {
        return TYPES.containsKey(readable);
    }

    /** An event of Fabric that knows its own name. */
    public static net.fabricmc.fabric.api.event.Event event(String what) {
        net.fabricmc.fabric.api.event.Event event = new net.fabricmc.fabric.api.event.Event();
        event.data.put("name", what);
        return event;
    }

    /** A call whose answer is an object or nothing. */
    public static <T> T call(Class<T> type, Object self, String what, Object[] arguments) {
        return as(type, what, game(what).call(self, what, arguments));
    }

    /** A call whose answer is a primitive value. */
    public static <T> T primitive(Class<T> type, Object self, String what, Object[] arguments) {
        T value = call(type, self, what, arguments);
        if (value == null) {
            throw new AssertionError(what + " must answer a " + type.getSimpleName() + ", not null");
        }
        return value;
    }

    /** The first value of a field; where the test answers null it is {@code zero}. */
    public static <T> T field(Class<T> type, Object self, String what, T zero) {
        T value = as(type, what, game(what).field(self, what));
        return value == null ? zero : value;
    }

    private static Game game(String what) {
        if (game == null) {
            throw new AssertionError(what + " was used, but no test plays the game");
        }
        return game;
    }

    private static <T> T as(Class<T> type, String what, Object value) {
        if (value != null && !type.isInstance(value)) {
            throw new AssertionError(what + " must answer a " + type.getName() + ", not a " + value.getClass().getName());
        }
        return type.cast(value);
    }

    private static String[] names(String readable) {
        String[] names = TYPES.get(readable);
        if (names == null) {
            throw new AssertionError("this version has no class " + readable);
        }
        return names;
    }

    private static final java.util.Map<String, String[]> TYPES = new java.util.HashMap<>();

    static {
"#;

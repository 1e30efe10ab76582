//! The generated classes compile with Java 17, and a test can play the game through them.

use crate::workshop::Workshop;
use auk_linkage::{Bodies, Scheme, Span, StubSet, Table, versions};

#[test]
fn the_classes_of_each_naming_scheme_and_of_a_part_of_one_compile() {
    let table = Table::read().unwrap();
    let old = StubSet::union(&table, Scheme::Intermediary);
    let new = StubSet::union(&table, Scheme::Official);
    let span: Span = "1.20.5..1.21.10".parse().unwrap();
    let part = StubSet::of_versions(&table, &versions().filter(|version| span.contains(*version)).collect::<Vec<_>>());
    Workshop::new().compile_all_stubs(&[
        (&old, Bodies::Unusable, "old"),
        (&old, Bodies::Delegating, "old-game"),
        (&new, Bodies::Unusable, "new"),
        (&new, Bodies::Delegating, "new-game"),
        (&part, Bodies::Unusable, "part"),
    ]);
}

#[test]
fn the_classes_of_each_single_version_compile() {
    let table = Table::read().unwrap();
    let sets: Vec<_> = versions().map(|version| (StubSet::of_version(&table, version), version.name())).collect();
    let games = sets.iter().map(|(set, name)| (set, Bodies::Delegating, *name));
    let unusable =
        [("1.20.1", "oldest"), ("26.2", "newest")].map(|(version, name)| (StubSet::of_version(&table, version.parse().unwrap()), name));
    let unusable = unusable.iter().map(|(set, name)| (set, Bodies::Unusable, *name));
    Workshop::new().compile_all_stubs(&games.chain(unusable).collect::<Vec<_>>());
}

/// A mod in the names of 1.20.1: it hears the server start and tells the players, in a text with what the game answered.
const OLD_MOD: &str = r#"
import net.fabricmc.fabric.api.event.lifecycle.v1.ServerLifecycleEvents;
import net.minecraft.class_2561;
import net.minecraft.class_2588;

public class Mod implements net.fabricmc.api.DedicatedServerModInitializer {
    public void onInitializeServer() {
        ServerLifecycleEvents.SERVER_STARTED.register((ServerLifecycleEvents.ServerStarted) server -> {
            int count = server.method_3760().method_14574();
            boolean translatable = class_2561.method_43473().method_10851() instanceof class_2588;
            server.method_3760().method_43514(class_2561.method_43470(count + " " + translatable), false);
        });
    }
}
"#;

/// The same mod in the names of 26.2.
const NEW_MOD: &str = r#"
import net.fabricmc.fabric.api.event.lifecycle.v1.ServerLifecycleEvents;
import net.minecraft.network.chat.Component;
import net.minecraft.network.chat.contents.TranslatableContents;

public class Mod implements net.fabricmc.api.DedicatedServerModInitializer {
    public void onInitializeServer() {
        ServerLifecycleEvents.SERVER_STARTED.register((ServerLifecycleEvents.ServerStarted) server -> {
            int count = server.getPlayerList().getPlayerCount();
            boolean translatable = Component.empty().getContents() instanceof TranslatableContents;
            server.getPlayerList().broadcastSystemMessage(Component.literal(count + " " + translatable), false);
        });
    }
}
"#;

/// A game that knows readable names only.
const GAME: &str = r#"
import dev.auk.standin.*;
import java.util.*;

public class Main {
    static final Map<String, Object> listeners = new HashMap<>();
    static Object players, count = 3;

    static Object call(Object self, String what, Object[] arguments) {
        switch (what) {
            case "Event.register": listeners.put((String) ((Thing) self).data.get("name"), arguments[0]); return null;
            case "MinecraftServer.getPlayerManager": return players;
            case "PlayerManager.getCurrentPlayerCount": return count;
            case "Text.empty": return Hooks.create("MutableText");
            case "Text.getContent": return Hooks.create("TranslatableTextContent");
            case "Text.literal": {
                Thing text = (Thing) Hooks.create("MutableText");
                text.data.put("text", arguments[0]);
                return text;
            }
            case "PlayerManager.broadcast(Text,boolean)": System.out.println(((Thing) arguments[0]).data.get("text") + " " + arguments[1]); return null;
            default: throw new AssertionError(what);
        }
    }

    public static void main(String[] args) throws Exception {
        Hooks.game = new Game() {
            public Object call(Object self, String what, Object[] arguments) { return Main.call(self, what, arguments); }
            public Object field(Object self, String what) { return null; }
        };
        players = Hooks.create("PlayerManager");
        ((net.fabricmc.api.DedicatedServerModInitializer) new Mod()).onInitializeServer();
        Object listener = listeners.get("ServerLifecycleEvents.SERVER_STARTED");
        Hooks.ask("ServerLifecycleEvents.ServerStarted.onServerStarted", listener, Hooks.create("MinecraftServer"));

        Thing player = (Thing) Hooks.create("ServerPlayerEntity");
        Object handler = Hooks.create("ServerPlayNetworkHandler");
        player.set("ServerPlayerEntity.networkHandler", handler);
        System.out.println(Arrays.stream(player.getClass().getFields()).anyMatch(field -> {
            try { return field.get(player) == handler; } catch (IllegalAccessException never) { throw new AssertionError(never); }
        }));
        System.out.println(Hooks.create("CommandManager") != null && Hooks.has("Text") && !Hooks.has("Hat"));
        System.out.println(Hooks.type("CommandOutput").isInstance(Hooks.create("CommandOutput")));

        count = null;
        try {
            Hooks.ask("ServerLifecycleEvents.ServerStarted.onServerStarted", listener, Hooks.create("MinecraftServer"));
        } catch (AssertionError error) {
            System.out.println(error.getMessage());
        }
        try { Hooks.ask("Hat.wear", listener); } catch (AssertionError error) { System.out.println(error.getMessage()); }
        try { player.set("ServerPlayerEntity.hat", null); } catch (AssertionError error) { System.out.println(error.getMessage().endsWith("has no field ServerPlayerEntity.hat")); }
        try { Hooks.create("Hat"); } catch (AssertionError error) { System.out.println(error.getMessage()); }
    }
}
"#;

#[test]
fn one_game_is_played_for_the_oldest_and_for_the_newest_version() {
    let table = Table::read().unwrap();
    for (version, source) in [("1.20.1", OLD_MOD), ("26.2", NEW_MOD)] {
        let workshop = Workshop::new();
        let stubs = workshop.compile_stubs(&StubSet::of_version(&table, version.parse().unwrap()), Bodies::Delegating, "stubs");
        let program = workshop.compile("program", &[&stubs], &[("Mod", source), ("Main", GAME)]);
        let said = workshop.run(&[&stubs, &program], "Main");
        let expected = [
            "3 true false",
            "true",
            "true",
            "true",
            "PlayerManager.getCurrentPlayerCount must answer a Number, not null",
            "this version has no Hat.wear",
            "true",
            "this version has no class Hat",
        ];
        assert_eq!(said.lines().collect::<Vec<_>>(), expected, "{version}");
    }
}

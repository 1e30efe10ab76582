//! The link check says of small compiled classes what a server of each version would say.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use crate::workshop::Workshop;
use auk_linkage::{Bodies, Linkage, Reason, Report, Scheme, StubSet, Table, Version, check};

/// The tables, and the generated classes of both naming schemes and of the oldest version, compiled once.
struct Shop {
    table: Table,
    workshop: Workshop,
    old: PathBuf,
    new: PathBuf,
    oldest: PathBuf,
}

static SHOP: LazyLock<Shop> = LazyLock::new(|| {
    let table = Table::read().unwrap();
    let workshop = Workshop::new();
    let compile = |set: StubSet, name: &str| workshop.compile_stubs(&set, Bodies::Unusable, name);
    let old = compile(StubSet::union(&table, Scheme::Intermediary), "old");
    let new = compile(StubSet::union(&table, Scheme::Official), "new");
    let oldest = compile(StubSet::of_version(&table, "1.20.1".parse().unwrap()), "oldest");
    Shop { table, workshop, old, new, oldest }
});

impl Shop {
    fn report(&self, jar: &Path, others: &[&Path], version: &str) -> Report {
        check(jar, others, version.parse().unwrap(), &self.table).unwrap()
    }

    /// What is wrong with `jar` alone in `version`.
    fn reasons(&self, jar: &Path, version: &str) -> Vec<Reason> {
        self.report(jar, &[], version).failures.into_iter().map(|failure| failure.reason).collect()
    }
}

/// What a shim does: events with lambdas, an output of its own, commands, the loader's own version.
const OLD_SHIM: &str = r#"
package shim;
import com.mojang.brigadier.arguments.StringArgumentType;
import net.fabricmc.fabric.api.command.v2.CommandRegistrationCallback;
import net.fabricmc.fabric.api.message.v1.ServerMessageEvents;
import net.fabricmc.loader.api.FabricLoader;
import net.minecraft.*;

public class Shim implements net.fabricmc.api.DedicatedServerModInitializer {
    static class Output implements class_2165 {
        final StringBuilder text = new StringBuilder();
        public void method_43496(class_2561 line) { text.append(line.getString()); }
        public boolean method_9200() { return true; }
        public boolean method_9202() { return true; }
        public boolean method_9201() { return false; }
    }
    enum Mode { ON, OFF }
    public void onInitializeServer() {
        ServerMessageEvents.CHAT_MESSAGE.register((ServerMessageEvents.ChatMessage) (message, sender, parameters) ->
            System.out.println(sender.method_5477().getString() + sender.method_5667() + message.method_44862()));
        CommandRegistrationCallback.EVENT.register((CommandRegistrationCallback) (dispatcher, access, environment) -> {
            var argument = class_2170.method_9244("text", StringArgumentType.greedyString());
            var literal = class_2170.method_9247("auk");
            literal.then(argument.executes(context -> {
                class_2168 source = (class_2168) context.getSource();
                source.method_9226(() -> class_2561.method_43470(StringArgumentType.getString(context, "text")), false);
                return Mode.values().length + source.method_9211().method_3760().method_14574();
            }));
            dispatcher.register(literal);
        });
        class_124[] colours = { class_124.field_1065 };
        System.out.println(colours.clone().length + class_124.valueOf("x").ordinal());
        FabricLoader.getInstance().getModContainer("minecraft").map(mod -> ((net.fabricmc.loader.api.ModContainer) mod).getMetadata().getVersion().getFriendlyString());
        Runnable work = new Thread("work")::start;
    }
}
"#;

#[test]
fn a_shim_that_keeps_to_what_is_stable_links_in_every_version_of_its_names() {
    let jar = SHOP.workshop.jar("shim", &[&SHOP.old], &[("shim/Shim", OLD_SHIM)]);
    let linkage = Linkage::read(&jar, &[]).unwrap();
    for version in Scheme::Intermediary.versions() {
        let report = linkage.check(version, &SHOP.table);
        assert_eq!(report.failures, [], "{version}");
        assert!(report.references_checked > 80, "{}", report.references_checked);
    }
}

#[test]
fn a_shim_on_intermediary_names_does_not_link_where_the_names_are_official() {
    let jar = SHOP.workshop.jar("foreign", &[&SHOP.old], &[("shim/Shim", OLD_SHIM)]);
    let reasons = SHOP.reasons(&jar, "26.1");
    assert!(reasons.contains(&Reason::ClassUnknown { name: "net/minecraft/class_2561".to_owned() }), "{reasons:?}");
}

#[test]
fn a_shim_on_official_names_links_in_both_versions_that_have_them() {
    let source = r#"
        package shim;
        import net.minecraft.commands.CommandSourceStack;
        import net.minecraft.server.MinecraftServer;
        import net.minecraft.server.permissions.Permissions;
        public class Shim implements net.minecraft.commands.CommandSource {
            public void sendSystemMessage(net.minecraft.network.chat.Component line) { System.out.println(line.getString()); }
            public boolean acceptsSuccess() { return true; }
            public boolean acceptsFailure() { return true; }
            public boolean shouldInformAdmins() { return false; }
            boolean run(MinecraftServer server, String command) {
                server.execute(() -> {});
                CommandSourceStack source = server.createCommandSourceStack().withSource(this);
                server.getCommands().performPrefixedCommand(source, command);
                return source.permissions().hasPermission(Permissions.COMMANDS_OWNER);
            }
        }"#;
    let jar = SHOP.workshop.jar("official", &[&SHOP.new], &[("shim/Shim", source)]);
    for version in ["26.1", "26.2"] {
        assert_eq!(SHOP.reasons(&jar, version), []);
    }
}

#[test]
fn the_operator_level_is_named_where_it_is_gone() {
    let source = "public class Level { boolean may(net.minecraft.class_2168 source) { return source.method_9259(4); } }";
    let jar = SHOP.workshop.jar("level", &[&SHOP.old], &[("Level", source)]);
    assert_eq!(SHOP.reasons(&jar, "1.21.10"), []);
    let report = SHOP.report(&jar, &[], "1.21.11");
    let sentences: Vec<String> = report.failures.iter().map(ToString::to_string).collect();
    let expected = "Level on Minecraft 1.21.11: net/minecraft/class_2168.method_9259(I)Z (ServerCommandSource.hasPermissionLevel(int)) does \
                    not exist in this version";
    assert_eq!(sentences, [expected]);
}

#[test]
fn a_method_that_is_handed_on_instead_of_called_is_checked_too() {
    let source =
        "public class Level { java.util.function.IntPredicate may(net.minecraft.class_2168 source) { return source::method_9259; } }";
    let jar = SHOP.workshop.jar("handle", &[&SHOP.old], &[("Level", source)]);
    assert_eq!(SHOP.reasons(&jar, "1.21.10"), []);
    let member = "net/minecraft/class_2168.method_9259(I)Z".to_owned();
    let readable = "ServerCommandSource.hasPermissionLevel(int)".to_owned();
    assert_eq!(SHOP.reasons(&jar, "1.21.11"), [Reason::MemberAbsent { member, readable }]);
}

#[test]
fn a_class_that_is_gone_or_not_there_yet_is_named() {
    let source = "public class Entry { String name(net.minecraft.class_11560 entry) { return entry.comp_4423(); } }";
    let jar = SHOP.workshop.jar("entry", &[&SHOP.old], &[("Entry", source)]);
    let absent = Reason::ClassAbsent { name: "net/minecraft/class_11560".to_owned(), readable: "PlayerConfigEntry".to_owned() };
    assert!(SHOP.reasons(&jar, "1.21.8").contains(&absent));
    assert_eq!(SHOP.reasons(&jar, "1.21.9"), []);
}

#[test]
fn a_method_that_returns_something_else_is_named_with_what_it_returns() {
    let source = r#"public class Run { int run(net.minecraft.class_2170 commands) { return commands.method_44252(null, ""); } }"#;
    let jar = SHOP.workshop.jar("run", &[&SHOP.oldest], &[("Run", source)]);
    assert_eq!(SHOP.reasons(&jar, "1.20.2"), []);
    let member = "net/minecraft/class_2170.method_44252(Lnet/minecraft/class_2168;Ljava/lang/String;)I".to_owned();
    let known = "(Lnet/minecraft/class_2168;Ljava/lang/String;)V".to_owned();
    assert_eq!(SHOP.reasons(&jar, "1.20.3"), [Reason::OtherDescriptor { member, known }]);
}

#[test]
fn an_interface_called_as_a_class_and_a_class_called_as_an_interface_are_named() {
    let source = "public class Click { Object action(net.minecraft.class_2558 event) { return event.method_10845(); } }";
    let as_class = SHOP.workshop.jar("as-class", &[&SHOP.oldest], &[("Click", source)]);
    let as_interface = SHOP.workshop.jar("as-interface", &[&SHOP.old], &[("Click", source)]);
    let member = "net/minecraft/class_2558.method_10845()Lnet/minecraft/class_2558$class_2559;".to_owned();
    assert_eq!(SHOP.reasons(&as_class, "1.21.4"), []);
    assert_eq!(SHOP.reasons(&as_class, "1.21.5"), [Reason::OwnerIsInterface { member: member.clone() }]);
    assert_eq!(SHOP.reasons(&as_interface, "1.21.4"), [Reason::OwnerIsClass { member }]);
    assert_eq!(SHOP.reasons(&as_interface, "1.21.5"), []);
}

#[test]
fn static_and_not_static_are_told_apart() {
    let wrong = [
        ("net/minecraft/class_155", "package net.minecraft; public class class_155 { public class_6489 method_16673() { return null; } }"),
        ("net/minecraft/class_6489", "package net.minecraft; public interface class_6489 {}"),
        ("net/minecraft/class_3324", "package net.minecraft; public class class_3324 { public static int method_14574() { return 0; } }"),
        ("net/minecraft/class_3222", "package net.minecraft; public class class_3222 { public static class_3244 field_13987; }"),
        ("net/minecraft/class_3244", "package net.minecraft; public class class_3244 {}"),
    ];
    let stubs = SHOP.workshop.compile("wrong", &[], &wrong);
    let source = "public class Use { Object use(net.minecraft.class_155 constants) { \
                  return net.minecraft.class_3324.method_14574() + \"\" + constants.method_16673() + net.minecraft.class_3222.field_13987; } }";
    let jar = SHOP.workshop.jar("static", &[&stubs], &[("Use", source)]);
    let expected = [
        Reason::NotStatic { member: "net/minecraft/class_3222.field_13987 Lnet/minecraft/class_3244;".to_owned() },
        Reason::NotStatic { member: "net/minecraft/class_3324.method_14574()I".to_owned() },
        Reason::Static { member: "net/minecraft/class_155.method_16673()Lnet/minecraft/class_6489;".to_owned() },
    ];
    assert_eq!(SHOP.reasons(&jar, "1.20.1"), expected);
}

#[test]
fn a_member_and_a_class_that_nobody_knows_are_named() {
    let wrong = [
        (
            "net/minecraft/class_3324",
            "package net.minecraft; public class class_3324 { public class_3324(int x) {} public int method_1() { return 0; } }",
        ),
        ("net/minecraft/class_1", "package net.minecraft; public class class_1 {}"),
    ];
    let stubs = SHOP.workshop.compile("unknown-stubs", &[], &wrong);
    let source =
        "public class Use { Object use() { return new net.minecraft.class_3324(1).method_1() + \"\" + new net.minecraft.class_1[0]; } }";
    let jar = SHOP.workshop.jar("unknown", &[&stubs], &[("Use", source)]);
    let expected = [
        Reason::ClassUnknown { name: "net/minecraft/class_1".to_owned() },
        Reason::MemberUnknown { member: "net/minecraft/class_3324.<init>(I)V".to_owned() },
        Reason::MemberUnknown { member: "net/minecraft/class_3324.method_1()I".to_owned() },
    ];
    assert_eq!(SHOP.reasons(&jar, "1.20.1"), expected);
}

#[test]
fn a_class_for_a_newer_java_is_named() {
    let classes = SHOP.workshop.compile("newer", &[], &[("Newer", "public class Newer {}")]);
    let file = classes.join("Newer.class");
    let mut bytes = std::fs::read(&file).unwrap();
    // The major version is the fourth pair of bytes of a class file.
    bytes[7] = 65;
    std::fs::write(&file, bytes).unwrap();
    let jar = SHOP.workshop.pack("newer", &classes);
    assert_eq!(SHOP.reasons(&jar, "26.2"), [Reason::TooNew { major: 65, limit: 61 }]);
}

#[test]
fn kotlin_s_library_must_be_packed() {
    let library = [("kotlin/Unit", "package kotlin; public class Unit { public static void use() {} }")];
    let classes = SHOP.workshop.compile("kotlin", &[], &library);
    let jar = SHOP.workshop.jar("user", &[&classes], &[("User", "public class User { void use() { kotlin.Unit.use(); } }")]);
    assert_eq!(SHOP.reasons(&jar, "1.20.1"), [Reason::NotPacked { name: "kotlin/Unit".to_owned() }]);
    let packed = SHOP.workshop.pack("kotlin", &classes);
    assert_eq!(SHOP.report(&jar, &[&packed], "1.20.1").failures, []);
}

#[test]
fn a_library_s_jar_is_asked_for_what_is_used_of_it() {
    let library = |body: &str| format!("package lib; public class Json {{ {body} }}");
    let full = library("public void write() {} public void read() {}");
    let classes = SHOP.workshop.compile("full", &[], &[("lib/Json", &full)]);
    let short = SHOP.workshop.jar("short", &[], &[("lib/Json", &library("public void write() {}"))]);
    let source = "public class User { void use(lib.Json json) { json.write(); json.read(); } }";
    let jar = SHOP.workshop.jar("json-user", &[&classes], &[("User", source)]);
    let failures = SHOP.report(&jar, &[&short], "1.20.1").failures;
    let reasons: Vec<Reason> = failures.into_iter().map(|failure| failure.reason).collect();
    assert_eq!(reasons, [Reason::MemberUnknown { member: "lib/Json.read()V".to_owned() }]);
}

#[test]
fn a_lambda_for_a_method_of_another_version_is_named() {
    let source = "public class Login { Object listener() { \
                  return (net.fabricmc.fabric.api.networking.v1.ServerLoginConnectionEvents.QueryStart) (a, b, c, d) -> {}; } }";
    let jar = SHOP.workshop.jar("login", &[&SHOP.old], &[("Login", source)]);
    assert_eq!(SHOP.reasons(&jar, "1.20.5"), []);
    let reasons = SHOP.reasons(&jar, "1.20.4");
    let found =
        reasons.iter().any(|reason| matches!(reason, Reason::LambdaOfNothing { member } if member.contains("QueryStart.onLoginStart")));
    assert!(found, "{reasons:?}");
}

#[test]
fn a_method_that_the_game_would_call_must_be_there() {
    let old_output = [("net/minecraft/class_2165", "package net.minecraft; public interface class_2165 { boolean method_9200(); }")];
    let stubs = SHOP.workshop.compile("old-output", &[], &old_output);
    let source = "public class Output implements net.minecraft.class_2165 { public boolean method_9200() { return true; } }";
    let jar = SHOP.workshop.jar("output", &[&stubs], &[("Output", source)]);
    let reasons = SHOP.reasons(&jar, "1.21.11");
    let readable: Vec<&str> = reasons
        .iter()
        .map(|reason| if let Reason::NotImplemented { readable, .. } = reason { readable.as_str() } else { panic!("{reason}") })
        .collect();
    let expected = ["CommandOutput.sendMessage(Text)", "CommandOutput.shouldBroadcastConsoleToOps", "CommandOutput.shouldTrackOutput"];
    let mut sorted = readable.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, expected);
}

#[test]
fn an_interface_that_is_extended_and_a_class_that_is_implemented_are_named() {
    let wrong = [
        ("net/minecraft/class_2172", "package net.minecraft; public class class_2172 {}"),
        ("net/minecraft/class_3324", "package net.minecraft; public interface class_3324 {}"),
    ];
    let stubs = SHOP.workshop.compile("turned", &[], &wrong);
    let source = "public class Turned extends net.minecraft.class_2172 implements net.minecraft.class_3324 {}";
    let jar = SHOP.workshop.jar("turned-user", &[&stubs], &[("Turned", source)]);
    let reasons = SHOP.reasons(&jar, "1.20.1");
    assert!(reasons.contains(&Reason::WrongSupertype { name: "net/minecraft/class_2172".to_owned(), used: "extended" }), "{reasons:?}");
    assert!(reasons.contains(&Reason::WrongSupertype { name: "net/minecraft/class_3324".to_owned(), used: "implemented" }), "{reasons:?}");
}

#[test]
fn what_is_no_jar_is_an_error_with_its_path() {
    let directory = tempfile::tempdir().unwrap();
    let missing = directory.path().join("missing.jar");
    let version: Version = "1.20.1".parse().unwrap();
    let error = check(&missing, &[], version, &SHOP.table).unwrap_err().to_string();
    assert!(error.starts_with(&format!("{} cannot be read as a jar: ", missing.display())), "{error}");
    let classes = directory.path().join("classes");
    std::fs::create_dir(&classes).unwrap();
    std::fs::write(classes.join("Broken.class"), b"no class").unwrap();
    let error = check(&SHOP.workshop.pack("broken", &classes), &[], version, &SHOP.table).unwrap_err().to_string();
    assert!(error.contains("broken.jar cannot be read as a jar, in Broken.class: "), "{error}");
}

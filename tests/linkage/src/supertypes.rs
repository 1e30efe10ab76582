//! Which class is a subtype of which: the part of the table that its sources say in prose only.
//!
//! A step that nobody refers to may be left out (between `PlayerEntity` and `LivingEntity` stands one more class from 1.21.9 on). What
//! the column `declared_in` says must be reached through this list; a test keeps that.

use crate::version::{Span, Version};

/// One line of the list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Supertype {
    /// The class.
    pub(crate) class: &'static str,
    /// What joins the two.
    pub(crate) by: Relation,
    /// Its supertype.
    pub(crate) of: &'static str,
    /// In which versions, as the tables write it.
    span: &'static str,
}

/// What joins a class with its supertype.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    /// The supertype is the superclass.
    Extends,
    /// The supertype is an interface; also where an interface extends it.
    Implements,
}

use Relation::{Extends, Implements};

/// The supertypes that hold in `version`.
pub(crate) fn supertypes(version: Version) -> impl Iterator<Item = Supertype> {
    SUPERTYPES.iter().copied().filter(move |line| line.span.parse::<Span>().is_ok_and(|span| span.contains(version)))
}

/// Every line, for those who need the interfaces of all versions.
pub(crate) fn all() -> impl Iterator<Item = Supertype> {
    SUPERTYPES.iter().copied()
}

const OLD: &str = "1.20.1..1.21.11";
const NEW: &str = "26.1..26.2";

const fn line(class: &'static str, by: Relation, of: &'static str, span: &'static str) -> Supertype {
    Supertype { class, by, of, span }
}

const SUPERTYPES: &[Supertype] = &[
    // Minecraft, intermediary names.
    line("net/minecraft/server/MinecraftServer", Extends, "net/minecraft/class_4093", OLD),
    line("net/minecraft/server/MinecraftServer", Implements, "net/minecraft/class_2165", OLD),
    line("net/minecraft/server/MinecraftServer", Implements, "net/minecraft/class_8599", "1.20.2..1.21.11"),
    line("net/minecraft/class_4093", Extends, "net/minecraft/class_1255", OLD),
    line("net/minecraft/class_1255", Implements, "java/util/concurrent/Executor", OLD),
    line("net/minecraft/class_3176", Extends, "net/minecraft/server/MinecraftServer", OLD),
    line("net/minecraft/class_3176", Implements, "net/minecraft/class_2994", OLD),
    line("net/minecraft/class_3222", Extends, "net/minecraft/class_1657", OLD),
    line("net/minecraft/class_3222", Implements, "net/minecraft/class_12097", "1.21.11"),
    line("net/minecraft/class_1657", Extends, "net/minecraft/class_1309", OLD),
    line("net/minecraft/class_1309", Extends, "net/minecraft/class_1297", OLD),
    line("net/minecraft/class_1297", Implements, "net/minecraft/class_1275", OLD),
    line("net/minecraft/class_1297", Implements, "net/minecraft/class_5568", OLD),
    line("net/minecraft/class_1297", Implements, "net/minecraft/class_9015", "1.20.3..1.21.11"),
    line("net/minecraft/class_1297", Implements, "net/minecraft/class_2165", "1.20.1..1.21.1"),
    line("net/minecraft/class_5568", Implements, "net/minecraft/class_10599", "1.21.5..1.21.11"),
    line("net/minecraft/class_2168", Implements, "net/minecraft/class_2172", OLD),
    line("net/minecraft/class_2168", Implements, "net/minecraft/class_8839", "1.20.3..1.21.11"),
    line("net/minecraft/class_2172", Implements, "net/minecraft/class_11456", "1.21.6..1.21.10"),
    line("net/minecraft/class_2172", Implements, "net/minecraft/class_12097", "1.21.11"),
    line("net/minecraft/class_3350", Implements, "net/minecraft/class_2165", OLD),
    line("net/minecraft/class_2561", Implements, "com/mojang/brigadier/Message", OLD),
    line("net/minecraft/class_2561", Implements, "net/minecraft/class_5348", OLD),
    line("net/minecraft/class_5250", Implements, "net/minecraft/class_2561", OLD),
    line("net/minecraft/class_2588", Implements, "net/minecraft/class_7417", OLD),
    line("net/minecraft/class_2585", Implements, "net/minecraft/class_7417", "1.20.1..1.20.2"),
    line("net/minecraft/class_8828", Implements, "net/minecraft/class_7417", "1.20.3..1.21.11"),
    line("net/minecraft/class_8828$class_2585", Implements, "net/minecraft/class_8828", "1.20.3..1.21.11"),
    line("net/minecraft/class_2558$class_10608", Implements, "net/minecraft/class_2558", "1.21.5..1.21.11"),
    line("net/minecraft/class_2558$class_10609", Implements, "net/minecraft/class_2558", "1.21.5..1.21.11"),
    line("net/minecraft/class_2558$class_10606", Implements, "net/minecraft/class_2558", "1.21.5..1.21.11"),
    line("net/minecraft/class_2558$class_10610", Implements, "net/minecraft/class_2558", "1.21.5..1.21.11"),
    line("net/minecraft/class_2568$class_10613", Implements, "net/minecraft/class_2568", "1.21.5..1.21.11"),
    line("net/minecraft/class_3244", Extends, "net/minecraft/class_8609", "1.20.2..1.21.11"),
    line("net/minecraft/class_3218", Extends, "net/minecraft/class_1937", OLD),
    line("net/minecraft/class_3337", Extends, "net/minecraft/class_3331", OLD),
    line("net/minecraft/class_3326", Extends, "net/minecraft/class_3331", OLD),
    line("net/minecraft/class_12086", Implements, "net/minecraft/class_12096", "1.21.11"),
    line("net/minecraft/class_12087$class_12089", Implements, "net/minecraft/class_12087", "1.21.11"),
    line("net/minecraft/class_12095", Implements, "java/util/function/Predicate", "1.21.11"),
    // Minecraft, official names.
    line("net/minecraft/server/MinecraftServer", Extends, "net/minecraft/util/thread/ReentrantBlockableEventLoop", NEW),
    line("net/minecraft/server/MinecraftServer", Implements, "net/minecraft/server/ServerInfo", NEW),
    line("net/minecraft/server/MinecraftServer", Implements, "net/minecraft/commands/CommandSource", NEW),
    line("net/minecraft/util/thread/ReentrantBlockableEventLoop", Extends, "net/minecraft/util/thread/BlockableEventLoop", NEW),
    line("net/minecraft/util/thread/BlockableEventLoop", Implements, "java/util/concurrent/Executor", NEW),
    line("net/minecraft/server/dedicated/DedicatedServer", Extends, "net/minecraft/server/MinecraftServer", NEW),
    line("net/minecraft/server/dedicated/DedicatedServer", Implements, "net/minecraft/server/ServerInterface", NEW),
    line("net/minecraft/server/level/ServerPlayer", Extends, "net/minecraft/world/entity/player/Player", NEW),
    line("net/minecraft/server/level/ServerPlayer", Implements, "net/minecraft/server/permissions/PermissionSetSupplier", NEW),
    line("net/minecraft/world/entity/player/Player", Extends, "net/minecraft/world/entity/LivingEntity", NEW),
    line("net/minecraft/world/entity/LivingEntity", Extends, "net/minecraft/world/entity/Entity", NEW),
    line("net/minecraft/world/entity/Entity", Implements, "net/minecraft/world/Nameable", NEW),
    line("net/minecraft/commands/CommandSourceStack", Implements, "net/minecraft/commands/SharedSuggestionProvider", NEW),
    line("net/minecraft/commands/SharedSuggestionProvider", Implements, "net/minecraft/server/permissions/PermissionSetSupplier", NEW),
    line("net/minecraft/server/rcon/RconConsoleSource", Implements, "net/minecraft/commands/CommandSource", NEW),
    line("net/minecraft/network/chat/Component", Implements, "com/mojang/brigadier/Message", NEW),
    line("net/minecraft/network/chat/Component", Implements, "net/minecraft/network/chat/FormattedText", NEW),
    line("net/minecraft/network/chat/MutableComponent", Implements, "net/minecraft/network/chat/Component", NEW),
    line("net/minecraft/network/chat/contents/TranslatableContents", Implements, "net/minecraft/network/chat/ComponentContents", NEW),
    line("net/minecraft/network/chat/contents/PlainTextContents", Implements, "net/minecraft/network/chat/ComponentContents", NEW),
    line(
        "net/minecraft/network/chat/contents/PlainTextContents$LiteralContents",
        Implements,
        "net/minecraft/network/chat/contents/PlainTextContents",
        NEW,
    ),
    line("net/minecraft/network/chat/ClickEvent$OpenUrl", Implements, "net/minecraft/network/chat/ClickEvent", NEW),
    line("net/minecraft/network/chat/ClickEvent$RunCommand", Implements, "net/minecraft/network/chat/ClickEvent", NEW),
    line("net/minecraft/network/chat/ClickEvent$CopyToClipboard", Implements, "net/minecraft/network/chat/ClickEvent", NEW),
    line("net/minecraft/network/chat/ClickEvent$SuggestCommand", Implements, "net/minecraft/network/chat/ClickEvent", NEW),
    line("net/minecraft/network/chat/HoverEvent$ShowText", Implements, "net/minecraft/network/chat/HoverEvent", NEW),
    line(
        "net/minecraft/server/network/ServerGamePacketListenerImpl",
        Extends,
        "net/minecraft/server/network/ServerCommonPacketListenerImpl",
        NEW,
    ),
    line("net/minecraft/server/level/ServerLevel", Extends, "net/minecraft/world/level/Level", NEW),
    line("net/minecraft/server/players/UserWhiteList", Extends, "net/minecraft/server/players/StoredUserList", NEW),
    line("net/minecraft/server/players/ServerOpList", Extends, "net/minecraft/server/players/StoredUserList", NEW),
    line("net/minecraft/server/permissions/LevelBasedPermissionSet", Implements, "net/minecraft/server/permissions/PermissionSet", NEW),
    line("net/minecraft/server/permissions/Permission$HasCommandLevel", Implements, "net/minecraft/server/permissions/Permission", NEW),
    line("net/minecraft/server/permissions/PermissionProviderCheck", Implements, "java/util/function/Predicate", NEW),
    // Fabric API and brigadier.
    line(
        "net/fabricmc/fabric/api/networking/v1/LoginPacketSender",
        Implements,
        "net/fabricmc/fabric/api/networking/v1/PacketSender",
        "1.20.5..26.2",
    ),
    line("com/mojang/brigadier/builder/LiteralArgumentBuilder", Extends, "com/mojang/brigadier/builder/ArgumentBuilder", "all"),
    line("com/mojang/brigadier/builder/RequiredArgumentBuilder", Extends, "com/mojang/brigadier/builder/ArgumentBuilder", "all"),
    line("com/mojang/brigadier/arguments/StringArgumentType", Implements, "com/mojang/brigadier/arguments/ArgumentType", "all"),
    line("com/mojang/brigadier/tree/LiteralCommandNode", Extends, "com/mojang/brigadier/tree/CommandNode", "all"),
    line("com/mojang/brigadier/tree/ArgumentCommandNode", Extends, "com/mojang/brigadier/tree/CommandNode", "all"),
    line("com/mojang/brigadier/tree/RootCommandNode", Extends, "com/mojang/brigadier/tree/CommandNode", "all"),
    line("com/mojang/brigadier/exceptions/CommandSyntaxException", Extends, "java/lang/Exception", "all"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_names_versions_that_exist() {
        for line in SUPERTYPES {
            line.span.parse::<Span>().unwrap_or_else(|unknown| panic!("{} {:?} {}: {unknown}", line.class, line.by, line.of));
        }
    }

    #[test]
    fn no_class_has_two_superclasses_in_one_version() {
        for version in crate::versions() {
            let mut classes: Vec<_> = supertypes(version).filter(|line| line.by == Extends).map(|line| line.class).collect();
            let count = classes.len();
            classes.sort_unstable();
            classes.dedup();
            assert_eq!(classes.len(), count, "{version}");
        }
    }
}

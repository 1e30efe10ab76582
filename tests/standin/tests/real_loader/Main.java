package net.minecraft.server;

import dev.auk.standin.Game;
import dev.auk.standin.Hooks;

/** What Fabric Loader looks for in a server's main class, and a game that only tells who listens to it. */
public final class Main {
    private static final String SAFE_MODE = "Safe mode active, only vanilla datapack will be loaded";

    private Main() {}

    public static void main(String[] arguments) {
        Hooks.game = new Listening();
        System.out.println(SAFE_MODE.length() > 0 ? "main" : "");
        System.out.println(nameOf("server.properties"));
        Runnable start = () -> new Start(Thread.currentThread());
        start.run();
    }

    private static String nameOf(String file) {
        return file;
    }

    /** The game's server, as far as the loader knows it: something made with a thread. */
    private static final class Start {
        Start(Thread thread) {
            System.out.println("started on " + thread.getName());
        }
    }

    private static final class Listening implements Game {
        @Override
        public Object call(Object self, String what, Object[] arguments) {
            if (what.equals("Event.register")) {
                System.out.println("listener " + ((dev.auk.standin.Thing) self).data.get("name"));
            }
            return null;
        }

        @Override
        public Object field(Object self, String what) {
            return null;
        }
    }
}

//! Tests of sentences.

use super::*;
use crate::Scrubber;
use crate::assignments::name_around;

fn found<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let (start, end) = name_around(text.as_bytes(), text.rfind(word)?);
    find(text, start, end, true).map(|span| text.get(span.start..span.end).unwrap())
}

#[test]
fn sentences() {
    for (text, word, wanted) in [
        ("the password is qWxTrplkVbNs", "password", "qWxTrplkVbNs"),
        ("password for the demo account is Torino-Aprile-7, so", "password", "Torino-Aprile-7"),
        ("I've set a new password for you: Kx9mWq2r", "password", "Kx9mWq2r"),
        ("pw of the replica is now `Kx9mWq2r`.", "pw", "Kx9mWq2r"),
        ("the password was changed to Summer#Rain", "password", "Summer#Rain"),
        ("password is generated for root@localhost: aB3!kd9", "password", "aB3!kd9"),
        ("A temporary password is generated for root@localhost: aB3!kd9x", "password", "aB3!kd9x"),
        ("Das Passwort lautet Herbst77!", "Passwort", "Herbst77!"),
        ("WLAN-Passwort für Gäste ist Herbst77", "Passwort", "Herbst77"),
        ("Neues Kennwort gesetzt auf Herbst77. Ende", "Kennwort", "Herbst77"),
        ("Adminkennwort: herbst77x", "kennwort", "herbst77x"),
        ("Mot de passe : soleil42x", "passe", "soleil42x"),
        ("le mot de passe du NAS est **soleil42x**", "passe", "soleil42x"),
        ("la contraseña es lunes2024x", "contrase", "lunes2024x"),
        ("y la contraseña `Lunes2024x`.", "contrase", "Lunes2024x"),
        ("a senha do painel é verao2024x", "senha", "verao2024x"),
        ("het wachtwoord is fiets8842", "wachtwoord", "fiets8842"),
        ("senha = caipirinha#3", "senha", "caipirinha#3"),
        ("contraseña=Lunes.2024", "contrase", "Lunes.2024"),
        ("{\"senha\": \"verao2024x\"}", "senha", "verao2024x"),
        ("şifre=Bogaz.Kopru34", "ifre", "Bogaz.Kopru34"),
        ("La parola d'ordine: Estate2024", "parola", "Estate2024"),
        ("la contraseña nueva es lunes2024x", "contrase", "lunes2024x"),
        ("Login: joe / kiwi-4471x", "Login", "kiwi-4471x"),
        ("Use kiwi-4471x as the password", "password", "kiwi-4471x"),
        ("Nimm `kiwi-4471x` als Passwort", "Passwort", "kiwi-4471x"),
        ("Please use the following password to proceed:\n\n4f9d0c3e8a71\n", "password", "4f9d0c3e8a71"),
        ("Password for [x] successfully reset.\nNew value: Kx9mWq2r\n", "Password", "Kx9mWq2r"),
        ("Password of joe was reset.\nTemporary password: Kx9mWq2r\n", "Password", "Kx9mWq2r"),
        ("The password was reset.\nInitial value: Kx9mWq2r\n", "password", "Kx9mWq2r"),
    ] {
        assert_eq!(found(text, word), Some(wanted), "{text}");
    }
}

#[test]
fn captions_in_other_scripts() {
    for text in ["パスワード：winter77x", "密码: winter77x。", "Пароль: winter77x", "비밀번호: `winter77x`"]
    {
        let marked = text.replace("winter77x", "[PASSWORD_REDACTED]");
        assert_eq!(Scrubber::all().scrub(text), marked, "{text}");
    }
    let caption = |caption: &&str| {
        caption.chars().next().unwrap().to_uppercase().collect::<String>()
            + caption.chars().skip(1).collect::<String>().as_str()
    };
    let plain = CAPTIONS.iter().map(|name| (*name).to_owned());
    let names = MIXED.iter().map(|(head, name, tail)| format!("{head}{name}{tail}"));
    for (name, is_mixed) in CAPTIONS
        .iter()
        .map(caption)
        .chain(plain)
        .map(|name| (name, false))
        .chain(names.map(|name| (name, true)))
    {
        for colon in if is_mixed { &[": ", " : "][..] } else { &[": ", " : ", "：", " ： "] } {
            let text = format!("{name}{colon}winter77x\n");
            let marked = text.replace("winter77x", "[PASSWORD_REDACTED]");
            assert_eq!(Scrubber::all().scrub(&text), marked, "{text}");
        }
    }
    for text in [
        "Hasło: winter77x",
        "HASŁO: winter77x",
        "Şifre: winter77x",
        "Hasło to: winter77x",
        "şifre:\nKx9mWq2rTT\n",
    ] {
        let out = Scrubber::all().scrub(text).into_owned();
        assert!(out.contains("[PASSWORD_REDACTED]"), "{out}");
        let mut stream = Scrubber::all().stream();
        let parts: String = text.split_inclusive('\n').map(|line| stream.push(line)).collect();
        assert_eq!(parts + &stream.finish(), out);
    }
    for text in
        ["Hasło: wymagane", "Şifre: gerekli", "fifre: winter77x", "chasło: winter77x", "имя : winter77x"]
    {
        assert_eq!(Scrubber::all().scrub(text), text);
    }
    for text in ["パスワード：必須", "密码: 8位以上", "Пароль: неверный", "名前：winter77x"]
    {
        assert_eq!(Scrubber::all().scrub(text), text);
    }
}

#[test]
fn sentences_without_a_password() {
    for (text, word) in [
        ("the password is hashed with SHA256", "password"),
        ("the password is base64-encoded", "password"),
        ("the password manager is KeePassXC", "password"),
        ("password for the X11 account is required", "password"),
        ("the password to server01 is unknown", "password"),
        ("password must be 12 characters", "password"),
        ("the password is stored in config2.yaml", "password"),
        ("the password is 16-character text", "password"),
        ("Wie lautet das Passwort für server01?", "Passwort"),
        ("Das Passwort ist falsch.", "Passwort"),
        ("mot de passe : obligatoire", "passe"),
        ("la contraseña es incorrecta", "contrase"),
        ("the password is JavaScriptString", "password"),
        ("used as a password", "password"),
        ("log in with the password:\n\n    cargo run\n", "password"),
        ("The password is ${PASSWORD1}", "password"),
        ("The password was reset.\nServer: web0417x\n", "password"),
    ] {
        assert_eq!(found(text, word), None, "{text}");
    }
}
